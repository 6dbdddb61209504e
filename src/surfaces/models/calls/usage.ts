/** Reads token usage as providers report it. */
import type { Price } from '../catalog/model-catalog.ts';
import type { TokenUsage } from '../ledger/call-ledger.ts';

export const NO_USAGE: TokenUsage = { input: 0, cached: 0, output: 0 };

const MAX_TOKENS = 2_000_000_000;

const toCount = (value: unknown): number =>
  typeof value === 'number' && value > 0 ? Math.min(Math.round(value), MAX_TOKENS) : 0;

type Counts = Record<string, unknown>;

/** Returns null if the object holds no token counts. Takes the fields of the chat, responses and embeddings APIs. */
export function readUsage(value: unknown): TokenUsage | null {
  if (value === null || typeof value !== 'object') return null;
  const usage = value as Counts;
  const input = usage['prompt_tokens'] ?? usage['input_tokens'];
  const output = usage['completion_tokens'] ?? usage['output_tokens'];
  if (typeof input !== 'number' && typeof output !== 'number') return null;
  const details = (usage['prompt_tokens_details'] ?? usage['input_tokens_details']) as
    | Counts
    | null
    | undefined;
  const cached = details?.['cached_tokens'] ?? usage['prompt_cache_hit_tokens'];
  const inputCount = toCount(input);
  return {
    input: inputCount,
    cached: Math.min(toCount(cached), inputCount),
    // Some providers count reasoning only in the total.
    output: Math.max(toCount(output), toCount(usage['total_tokens']) - inputCount),
  };
}

export const addUsage = (a: TokenUsage, b: TokenUsage): TokenUsage => ({
  input: a.input + b.input,
  cached: a.cached + b.cached,
  output: a.output + b.output,
});

/** Returns billionths of a USD; null if tokens were used whose price is not known. */
export function toCost({ input, cached, output }: TokenUsage, price: Price | null): number | null {
  if (input + output === 0) return 0;
  if (price === null) return null;
  return Math.round((input - cached) * price.input + cached * price.cachedInput + output * price.output);
}
