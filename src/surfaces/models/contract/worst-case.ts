/** The most that a call can use, which is reserved at its admission. */
import type { Target } from './model-catalog.ts';
import type { WorstCase } from './call-ledger.ts';
import type { CallJson, InputSize } from './input-size.ts';
import type { CallOperation } from './upstream.ts';
import { toWorstCost } from './usage.ts';

/** If neither the call nor the model limits it. */
const DEFAULT_OUTPUT_TOKENS = 8_192;
/** Tokens that a provider adds to the input of a model whose context length is unknown. */
const DEFAULT_OPEN_TOKENS = 128_000;
/** Searches that are reserved at their price: for a call that lets the provider search, and for others, because some models always do. */
const OPEN_SEARCHES = 20;
const DEFAULT_SEARCHES = 1;
const MAX_TOKENS = 100_000_000;
const MAX_CHOICES = 128;

/** Fields with which the API of an operation limits its output. */
const LIMITS: Record<CallOperation, readonly string[]> = {
  'chat/completions': ['max_completion_tokens', 'max_tokens'],
  responses: ['max_output_tokens'],
  embeddings: [],
};
/** Further fields that servers obey. They can raise the limit of the API's own, never lower it. */
const FURTHER_LIMITS = [
  'max_completion_tokens',
  'max_length',
  'max_new_tokens',
  'max_output_tokens',
  'max_tokens',
  'max_tokens_to_sample',
  'min_tokens',
  'n_predict',
  'num_predict',
] as const;
const CHOICES = ['n', 'best_of', 'num_return_sequences'] as const;

/** The output length that a call requests. */
export interface OutputLimit {
  /** Tokens of each choice, at most; null if the call sets no limit. */
  limit: number | null;
  /** Tokens of each choice that the call asks for in other fields. */
  asked: number;
  choices: number;
}

/** Servers read a number in a string too. */
const toNumber = (value: unknown): number =>
  typeof value === 'string' && value.trim() !== '' ? Number(value) : typeof value === 'number' ? value : NaN;

/** Returns null if a value limits nothing. */
const toCount = (value: unknown, max: number): number | null => {
  const count = toNumber(value);
  return count > 0 ? Math.min(Math.ceil(count), max) : null;
};

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** Reads the limits of a call's output. Where two fields set one, the larger counts: a server may obey either. */
export function readOutputLimit(operation: CallOperation, body: CallJson): OutputLimit {
  const given = LIMITS[operation].map((name) => body[name]).filter(isGiven);
  const limits = given.map((value) => toCount(value, MAX_TOKENS));
  const { reasoning, thinking } = body as unknown as {
    reasoning?: { max_tokens?: unknown } | null;
    thinking?: { budget_tokens?: unknown } | null;
  };
  const further = [
    ...FURTHER_LIMITS.map((name) => body[name]),
    reasoning?.max_tokens,
    thinking?.budget_tokens,
  ];
  return {
    // Zero and less mean no limit to some servers.
    limit: limits.length === 0 || limits.includes(null) ? null : Math.max(...(limits as number[])),
    asked: Math.max(0, ...further.map((value) => toCount(value, MAX_TOKENS) ?? 0)),
    choices: Math.max(1, ...CHOICES.map((name) => toCount(body[name], MAX_CHOICES) ?? 1)),
  };
}

const getOutputTokens = ({ limit, asked, choices }: OutputLimit, { maxOutputTokens }: Target): number =>
  Math.max(limit ?? maxOutputTokens ?? DEFAULT_OUTPUT_TOKENS, asked) * choices;

/** Text counts by its bytes; media, and the provider's additions, count at most the model's context length. */
function getInputTokens({ bytes, mediaTokens, isOpen }: InputSize, { contextLength }: Target): number {
  if (isOpen) return bytes + Math.max(mediaTokens, contextLength ?? DEFAULT_OPEN_TOKENS);
  return bytes + Math.min(mediaTokens, contextLength ?? Number.POSITIVE_INFINITY);
}

/** @param targets of a route: the most expensive one counts */
export function getWorstCase(
  operation: CallOperation,
  { size, output }: { size: InputSize; output: OutputLimit },
  targets: readonly Target[],
): WorstCase {
  const used = targets.map((target) => ({
    input: getInputTokens(size, target),
    output: operation === 'embeddings' ? 0 : getOutputTokens(output, target),
  }));
  const costs = targets.map(({ price, reservePrice = null }, nth) => {
    const most = price ?? reservePrice;
    const searches = size.isOpen ? OPEN_SEARCHES : DEFAULT_SEARCHES;
    return most && toWorstCost(used[nth]!.input, used[nth]!.output, searches, most);
  });
  return {
    tokens: Math.max(...used.map(({ input, output: tokens }) => input + tokens)),
    cost: costs.includes(null) ? null : Math.max(...(costs as number[])),
    ...(targets.some(({ price }) => price === null) ? { isCostOpen: true } : {}),
  };
}
