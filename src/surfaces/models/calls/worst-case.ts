/** The most that a call can cost, which is reserved at its admission. */
import type { Target } from '../catalog/model-catalog.ts';
import type { NewCall } from '../ledger/call-ledger.ts';
import type { CallBody } from './call-body.ts';
import type { CallOperation } from './upstream.ts';
import { countQuarters, toTokens as fromQuarters } from './token-estimate.ts';
import { toWorstCost } from './usage.ts';

/** For each image, audio or file. */
const MEDIA_TOKENS = 2_000;
/** If neither the call nor the model limits it. */
const DEFAULT_OUTPUT_TOKENS = 8_192;
const NUMBER_TOKENS = 4;
const MAX_TOKENS = 100_000_000;
const MAX_CHOICES = 128;

const MEDIA_TYPES: ReadonlySet<unknown> = new Set([
  'image_url',
  'input_audio',
  'file',
  'input_image',
  'input_file',
  'image',
  'audio',
  'video_url',
]);
const DATA_URL = /^data:[^,]{0,200};base64,/;

export interface InputSize {
  /** UTF-8 bytes of all text, names of fields included: never fewer than its tokens. */
  bytes: number;
  /** Quarters of a token that the text has by its script: an estimate. */
  quarters: number;
  /** Images, audio and files. */
  media: number;
}

function measure(value: unknown, size: InputSize): void {
  if (typeof value === 'string') {
    if (DATA_URL.test(value)) size.media += 1;
    else {
      size.bytes += Buffer.byteLength(value);
      size.quarters += countQuarters(value);
    }
  } else if (typeof value === 'number') {
    size.bytes += NUMBER_TOKENS;
    size.quarters += NUMBER_TOKENS;
  } else if (Array.isArray(value)) for (const item of value) measure(item, size);
  else if (value !== null && typeof value === 'object') {
    if (MEDIA_TYPES.has((value as { type?: unknown }).type)) {
      size.media += 1;
      return;
    }
    for (const [name, item] of Object.entries(value)) {
      size.bytes += name.length;
      size.quarters += name.length;
      measure(item, size);
    }
  }
}

const isTokens = (value: unknown): value is unknown[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'number');

/** Embeddings take texts as token IDs too: each is one token. */
function countTokenIds(input: unknown): number | null {
  if (isTokens(input)) return input.length;
  if (!Array.isArray(input) || !input.every(isTokens)) return null;
  return input.reduce((sum, tokens) => sum + tokens.length, 0);
}

export function measureInput(operation: CallOperation, body: CallBody): InputSize {
  const size: InputSize = { bytes: 0, quarters: 0, media: 0 };
  const tokens = operation === 'embeddings' ? countTokenIds(body['input']) : null;
  if (tokens === null) measure({ ...body, model: '' }, size);
  else {
    size.bytes = tokens;
    size.quarters = tokens * 4;
  }
  return size;
}

const toTokens = ({ bytes, media }: InputSize): number => bytes + media * MEDIA_TOKENS;

/** Estimates input tokens of a call whose provider does not report them. */
export const estimateInput = ({ quarters, media }: InputSize): number =>
  fromQuarters(quarters) + media * (MEDIA_TOKENS / 4);

const toCount = (value: unknown, max: number): number | null =>
  typeof value === 'number' && value > 0 ? Math.min(Math.ceil(value), max) : null;

function getOutputTokens(operation: CallOperation, body: CallBody, { maxOutputTokens }: Target): number {
  if (operation === 'embeddings') return 0;
  const limit =
    toCount(body['max_completion_tokens'], MAX_TOKENS) ??
    toCount(body['max_output_tokens'], MAX_TOKENS) ??
    toCount(body['max_tokens'], MAX_TOKENS);
  return (limit ?? maxOutputTokens ?? DEFAULT_OUTPUT_TOKENS) * (toCount(body['n'], MAX_CHOICES) ?? 1);
}

/** @param targets of a route: the most expensive one counts */
export function getWorstCase(
  operation: CallOperation,
  body: CallBody,
  size: InputSize,
  targets: readonly Target[],
): NewCall['worst'] {
  const input = toTokens(size);
  const outputs = targets.map((target) => getOutputTokens(operation, body, target));
  const costs = targets.map(
    ({ price, reservePrice = null }, nth) =>
      (price ?? reservePrice) && toWorstCost(input, outputs[nth]!, (price ?? reservePrice)!),
  );
  return {
    tokens: input + Math.max(...outputs),
    cost: costs.includes(null) ? null : Math.max(...(costs as number[])),
  };
}
