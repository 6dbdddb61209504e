/** Reads token usage as providers report it, and computes its cost. */
import type { Price } from './model-catalog.ts';
import type { TokenUsage } from './call-ledger.ts';

export const NO_USAGE: TokenUsage = { input: 0, cached: 0, output: 0 };

/** Usage as a provider reports it. */
export interface ReportedUsage extends TokenUsage {
  /** Billionths of a USD that the provider says it took. */
  cost?: number;
  /** Tokens that only the total has. Whether they are output depends on the provider. */
  unexplained?: number;
  /** Searches that the provider made for the call; of xAI, the sources that it used. Absent for none. */
  searches?: number;
}

const MAX_TOKENS = 2_000_000_000;
const MAX_SEARCHES = 10_000;
const NANO_USD = 1_000_000_000;
/** No single call costs more; a larger number is in another unit. */
const MAX_COST_USD = 10_000;

const toCount = (value: unknown): number =>
  typeof value === 'number' && value > 0 ? Math.min(Math.round(value), MAX_TOKENS) : 0;

/** Returns the largest of the counts: providers report one count under several names, some of them as 0. */
const largest = (...values: unknown[]): number => Math.max(...values.map(toCount));

type Counts = Record<string, unknown>;
const toCounts = (value: unknown): Counts =>
  value !== null && typeof value === 'object' ? (value as Counts) : {};

const isCost = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value <= MAX_COST_USD;

/** Reads the cost of a response as OpenRouter or Perplexity reports it. @returns billionths of a USD, or null */
function readCost(usage: Counts): number | null {
  const total = toCounts(usage['cost'])['total_cost'] ?? usage['cost'];
  if (!isCost(total)) return null;
  // With a key of one's own, OpenRouter takes its fee alone, and the vendor takes the rest.
  const vendor = usage['is_byok'] === true ? toCounts(usage['cost_details'])['upstream_inference_cost'] : 0;
  return Math.round((total + (isCost(vendor) ? vendor : 0)) * NANO_USD);
}

/**
 * Returns how many tokens of the cache are reported beside the input, not as part of it: Anthropic's own form, which
 * gateways pass on. The total tells; without one, Anthropic's field names do.
 */
function countBeside(usage: Counts, input: number, output: number, reads: number, writes: number): number {
  const isNamed = 'cache_read_input_tokens' in usage || 'cache_creation_input_tokens' in usage;
  if (!isNamed) return 0;
  const total = toCount(usage['total_tokens']);
  if (total === 0) return 'prompt_tokens' in usage && reads + writes <= input ? 0 : reads + writes;
  const left = total - input - output;
  if (left >= reads + writes) return reads + writes;
  // Some gateways add cache reads to the input, but not cache writes.
  if (writes > 0 && left >= writes) return writes;
  // The total leaves them out too.
  return reads + writes > input ? reads + writes : 0;
}

/** Omits counts of 0. */
const withoutZeros = <T extends Record<string, number>>(counts: T): Partial<T> =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)) as Partial<T>;

/** Returns null if the object holds no token counts. Takes the fields of the chat, responses and embeddings APIs. */
export function readUsage(value: unknown): ReportedUsage | null {
  if (value === null || typeof value !== 'object') return null;
  const usage = value as Counts;
  const given = usage['prompt_tokens'] ?? usage['input_tokens'];
  const completed = usage['completion_tokens'] ?? usage['output_tokens'];
  if (typeof given !== 'number' && typeof completed !== 'number') return null;
  const inputDetails = toCounts(usage['prompt_tokens_details'] ?? usage['input_tokens_details']);
  const outputDetails = toCounts(usage['completion_tokens_details'] ?? usage['output_tokens_details']);
  const byAge = toCounts(usage['cache_creation'] ?? inputDetails['cache_creation_token_details']);
  const reads = largest(
    inputDetails['cached_tokens'],
    usage['prompt_cache_hit_tokens'],
    usage['cache_read_input_tokens'],
  );
  const hourly = toCount(byAge['ephemeral_1h_input_tokens']);
  const writes = largest(
    usage['cache_creation_input_tokens'],
    usage['cache_write_tokens'],
    inputDetails['cache_write_tokens'],
    inputDetails['cache_creation_tokens'],
    hourly + toCount(byAge['ephemeral_5m_input_tokens']),
  );
  const tools = toCounts(usage['server_side_tool_usage_details']);
  const reasoning = largest(outputDetails['reasoning_tokens'], usage['reasoning_tokens']);
  const completion = toCount(completed);
  const input = toCount(given) + countBeside(usage, toCount(given), completion, reads, writes);
  const left = toCount(usage['total_tokens']) - input - completion;
  // xAI counts reasoning beside the output.
  const isBeside = reasoning > 0 && (left >= reasoning || reasoning > completion);
  const cached = Math.min(reads, input);
  const cacheWrites = Math.min(writes, input - cached);
  const cost = readCost(usage);
  return {
    input,
    cached,
    output: completion + (isBeside ? reasoning : 0),
    ...withoutZeros({
      cacheWrites,
      cacheWrites1h: Math.min(hourly, cacheWrites),
      reasoning,
      audio: toCount(inputDetails['audio_tokens']) + toCount(outputDetails['audio_tokens']),
      image: toCount(inputDetails['image_tokens']) + toCount(outputDetails['image_tokens']),
      unexplained: Math.max(0, left - (isBeside ? reasoning : 0)),
      searches: Math.min(
        largest(
          toCounts(usage['server_tool_use'])['web_search_requests'],
          usage['num_search_queries'],
          usage['num_sources_used'],
          toCount(tools['web_search_calls']) + toCount(tools['x_search_calls']),
        ),
        MAX_SEARCHES,
      ),
    }),
    ...(cost === null ? {} : { cost }),
  };
}

/** Merges the usage of two frames of a stream. A count of the later frame wins, unless it is 0. */
export function mergeUsage(before: ReportedUsage | null, after: ReportedUsage | null): ReportedUsage | null {
  if (!before || !after) return after ?? before;
  if (after.input + after.output === 0) return after.cost ? { ...before, cost: after.cost } : before;
  const input = after.input || before.input;
  const cached = Math.min(after.cached || before.cached, input);
  const { cacheWrites = 0, cacheWrites1h = 0, ...merged }: ReportedUsage = { ...before, ...after };
  // Parts of an earlier frame may be more than the input of the later one.
  const written = Math.min(cacheWrites, input - cached);
  return {
    ...merged,
    input,
    cached,
    output: after.output || before.output,
    ...withoutZeros({ cacheWrites: written, cacheWrites1h: Math.min(cacheWrites1h, written) }),
  };
}

const DETAILS = ['cacheWrites', 'cacheWrites1h', 'reasoning', 'audio', 'image'] as const;

export function addUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  const sum: TokenUsage = {
    input: a.input + b.input,
    cached: a.cached + b.cached,
    output: a.output + b.output,
  };
  for (const name of DETAILS) {
    const count = (a[name] ?? 0) + (b[name] ?? 0);
    if (count > 0) sum[name] = count;
  }
  return sum;
}

/** Returns billionths of a USD; null if tokens were used whose price is not known. */
export function toCost(usage: TokenUsage & { searches?: number }, price: Price | null): number | null {
  const { input, cached, output, cacheWrites = 0, cacheWrites1h = 0, searches = 0 } = usage;
  if (input + output === 0) return 0;
  if (price === null) return null;
  const { cacheWrite = price.input, cacheWrite1h = cacheWrite, request = 0, search = 0 } = price;
  return Math.round(
    (input - cached - cacheWrites) * price.input +
      cached * price.cachedInput +
      (cacheWrites - cacheWrites1h) * cacheWrite +
      cacheWrites1h * cacheWrite1h +
      output * price.output +
      request +
      searches * search,
  );
}

/** Returns the most that so many tokens and searches can cost, in billionths of a USD: all of the input may be written to the cache. */
export const toWorstCost = (input: number, output: number, searches: number, price: Price): number =>
  Math.ceil(
    input * Math.max(price.input, price.cachedInput, price.cacheWrite ?? 0, price.cacheWrite1h ?? 0) +
      output * price.output +
      (price.request ?? 0) +
      searches * (price.search ?? 0),
  );
