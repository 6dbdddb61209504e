/**
 * Reads usage and errors of a response while it is relayed. Bytes pass as they came, except for the one frame that reports
 * usage which the caller did not ask for. Memory is bounded, however long the response or a part of it is.
 */
import { DEFAULT_JSON_BOUNDS, tryParseForeignJson } from '../../../platform/json/foreign-json.ts';
import { type DocumentFault, findFault, isError } from './provider-error.ts';
import { createFrameSplitter, type Frame, isErrorEvent, readData } from './sse-frames.ts';
import type { CallOperation } from '../contract/upstream.ts';
import { countQuarters, toTokens } from '../contract/token-estimate.ts';
import { mergeUsage, readUsage, type ReportedUsage } from '../contract/usage.ts';
import { createUsageCapture } from './usage-capture.ts';

/** Larger frames and documents are searched for their usage alone. */
const MAX_PARSED = 256 * 1024;
/** A frame has a few values, but log probabilities up to one in 5 bytes. */
const BOUNDS = { ...DEFAULT_JSON_BOUNDS, bytes: MAX_PARSED, values: 50_000 };
const HEAD_BYTES = 1024;

export interface UsageTap {
  /**
   * Reads a chunk.
   * @returns the bytes to relay
   */
  push(chunk: Uint8Array): Uint8Array;
  /**
   * Reads the end.
   * @returns the bytes held back
   */
  end(): Uint8Array;
  /** Null if the provider reported none. */
  usage(): ReportedUsage | null;
  /** Number of searches among the items of the Responses API, whose usage does not include them. */
  searches(): number;
  /** Estimates tokens of the output. */
  estimate(): number;
  /** Whether the model has begun to respond. */
  hasContent(): boolean;
  /** Whether the response reports an error. */
  hasFailed(): boolean;
  /** For a complete document: the error in it. */
  fault(): DocumentFault | null;
  /** Whether a frame can be added after the relayed bytes. */
  isAtBoundary(): boolean;
}

const EMPTY = Buffer.alloc(0);
const toBuffer = (chunk: Uint8Array): Buffer => Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json => value !== null && typeof value === 'object';

function parse(text: string): Json | null {
  // A provider's frame that isn't JSON is relayed like any other.
  const value = tryParseForeignJson(text, BOUNDS);
  return isObject(value) ? value : null;
}

/** Returns quarters of a token of all texts in a delta, such as content, reasoning, refusals and arguments of tool calls. */
function countText(value: unknown, depth = 0): number {
  if (typeof value === 'string') return countQuarters(value);
  if (!isObject(value) || depth > 5) return 0;
  let count = 0;
  for (const name in value) if (!LABELS.has(name)) count += countText(value[name], depth + 1);
  return count;
}
const LABELS: ReadonlySet<string> = new Set([
  'role',
  'id',
  'type',
  'index',
  'status',
  'annotations',
  'object',
  'finish_reason',
]);

/** Of the calls of the search tool, those that opened or read a page found by a search are part of it. */
function isSearch(item: unknown): boolean {
  if (!isObject(item) || item['type'] !== 'web_search_call' || item['status'] === 'failed') return false;
  const { action } = item;
  return !isObject(action) || action['type'] === 'search';
}
const countSearches = (items: unknown): number => (Array.isArray(items) ? items.filter(isSearch).length : 0);

interface Reading {
  usage: ReportedUsage | null;
  searches: number;
  /** Of the output. */
  quarters: number;
  hasContent: boolean;
  hasFailed: boolean;
}

/** @returns whether the chunk only reports usage */
function readChatChunk(chunk: Json, reading: Reading): boolean {
  const { choices, error, object } = chunk;
  if (isError(error) || object === 'error') reading.hasFailed = true;
  const extension = chunk['x_groq'];
  const usage = readUsage(chunk['usage']) ?? readUsage(isObject(extension) ? extension['usage'] : null);
  reading.usage = mergeUsage(reading.usage, usage);
  for (const choice of Array.isArray(choices) ? (choices as unknown[]) : []) {
    if (!isObject(choice)) continue;
    const { delta, finish_reason: finished } = choice;
    const quarters = countText(delta) + countText(choice['text'] ?? null);
    reading.quarters += quarters;
    const calls = isObject(delta) && Array.isArray(delta['tool_calls']) && delta['tool_calls'].length > 0;
    if (finished === 'error' || isError(choice['error'])) reading.hasFailed = true;
    // A stream without content ends with an empty reason, or with none.
    else if (quarters > 0 || calls || Boolean(finished)) reading.hasContent = true;
    reading.usage = mergeUsage(reading.usage, readUsage(choice['usage']));
  }
  const isEmpty =
    choices === undefined || choices === null || (Array.isArray(choices) && choices.length === 0);
  return usage !== null && isEmpty && (error === undefined || error === null);
}

const RESPONSE_PREAMBLE: ReadonlySet<unknown> = new Set([
  'response.created',
  'response.in_progress',
  'response.queued',
]);
const FAILURE_HEAD = /"type"\s*:\s*"(?:error|response\.failed)"/;
const RESPONSE_FAILURES: ReadonlySet<unknown> = new Set(['error', 'response.failed']);

function readResponseEvent(event: Json, reading: Reading): void {
  const { type, delta, response } = event;
  if (isObject(response)) {
    reading.usage = mergeUsage(reading.usage, readUsage(response['usage']));
    reading.searches = Math.max(reading.searches, countSearches(response['output']));
  }
  // The last event, with all items, may be too large to parse.
  if (type === 'response.output_item.done' && isSearch(event['item'])) reading.searches++;
  if (RESPONSE_FAILURES.has(type) || (isObject(event['error']) && type === undefined))
    reading.hasFailed = true;
  else if (!RESPONSE_PREAMBLE.has(type)) reading.hasContent = true;
  if (typeof delta === 'string') reading.quarters += countQuarters(delta);
}

/** @param options.dropsUsage whether to take out the frame of a chat stream that only reports usage */
function createStreamTap(operation: CallOperation, { dropsUsage }: { dropsUsage: boolean }): UsageTap {
  const splitter = createFrameSplitter(MAX_PARSED);
  const reading: Reading = { usage: null, searches: 0, quarters: 0, hasContent: false, hasFailed: false };
  /** Of the frame that is read in pieces. */
  let large: { capture: ReturnType<typeof createUsageCapture>; head: string } | null = null;

  /** Reads a piece of a frame that is too large to parse. */
  const readPiece = ({ bytes, isFirst, isLast }: Frame): void => {
    reading.hasContent = true;
    if (isFirst || !large)
      large = { capture: createUsageCapture(), head: bytes.toString('latin1', 0, HEAD_BYTES) };
    large.capture.push(bytes);
    if (!isLast) return;
    reading.usage = mergeUsage(reading.usage, readUsage(large.capture.get()));
    if (FAILURE_HEAD.test(large.head)) reading.hasFailed = true;
    large = null;
  };

  /** @returns whether to relay it */
  const read = (frame: Frame): boolean => {
    if (!frame.isFirst || !frame.isLast || frame.bytes.length > MAX_PARSED) {
      readPiece(frame);
      return true;
    }
    if (isErrorEvent(frame.bytes)) reading.hasFailed = true;
    const data = readData(frame.bytes);
    const value = data === null || data === '[DONE]' ? null : parse(data);
    if (value === null) return true;
    if (operation === 'responses') readResponseEvent(value, reading);
    else if (readChatChunk(value, reading) && dropsUsage) return false;
    return true;
  };

  /** @param relayed bytes to relay if no frame is removed */
  const readAll = (frames: Frame[], relayed: Uint8Array): Uint8Array => {
    const kept = frames.filter(read);
    if (!dropsUsage) return relayed;
    return kept.length === 1 ? kept[0]!.bytes : Buffer.concat(kept.map(({ bytes }) => bytes));
  };

  return {
    push: (chunk) => readAll(splitter.push(chunk), chunk),
    // The last frame may lack its blank line.
    end: () => readAll(splitter.end(), EMPTY),
    usage: () => reading.usage,
    searches: () => reading.searches,
    estimate: () => toTokens(reading.quarters),
    hasContent: () => reading.hasContent,
    hasFailed: () => reading.hasFailed,
    fault: () => null,
    isAtBoundary: () => (dropsUsage ? !large : splitter.isAtBoundary()),
  };
}

/** Returns quarters of a token of the output in a complete document. */
function countOutput(operation: CallOperation, document: Json): number {
  if (operation === 'chat/completions') return countText(document['choices']);
  return operation === 'responses' ? countText(document['output']) : 0;
}

function createDocumentTap(operation: CallOperation): UsageTap {
  let parts: Buffer[] = [];
  let size = 0;
  let capture: ReturnType<typeof createUsageCapture> | null = null;
  let isComplete = false;
  let fault: DocumentFault | null = null;
  const reading: Reading = { usage: null, searches: 0, quarters: 0, hasContent: false, hasFailed: false };
  return {
    push(chunk) {
      const bytes = toBuffer(chunk);
      size += bytes.length;
      reading.hasContent ||= bytes.length > 0;
      if (capture) capture.push(bytes);
      else {
        parts.push(bytes);
        if (size > MAX_PARSED) {
          capture = createUsageCapture();
          for (const part of parts) capture.push(part);
          parts = [];
        }
      }
      return chunk;
    },
    end() {
      isComplete = true;
      const document = capture ? null : parse(Buffer.concat(parts).toString());
      parts = [];
      if (!capture) fault = findFault(operation, document);
      reading.hasFailed = fault !== null;
      // Errors have no estimated usage.
      reading.hasContent &&= fault === null;
      if (document) {
        reading.usage = readUsage(document['usage']);
        if (operation === 'responses') reading.searches = countSearches(document['output']);
        reading.quarters = countOutput(operation, document);
      } else {
        reading.usage = readUsage(capture?.get() ?? null);
        reading.quarters = operation === 'embeddings' ? 0 : size;
      }
      return EMPTY;
    },
    usage: () => reading.usage,
    searches: () => reading.searches,
    estimate: () => toTokens(isComplete || operation === 'embeddings' ? reading.quarters : size),
    hasContent: () => reading.hasContent,
    hasFailed: () => reading.hasFailed,
    fault: () => fault,
    isAtBoundary: () => false,
  };
}

/** Creates the tap of one response. */
export const createUsageTap = (
  operation: CallOperation,
  { isStream, dropsUsage }: { isStream: boolean; dropsUsage: boolean },
): UsageTap => (isStream ? createStreamTap(operation, { dropsUsage }) : createDocumentTap(operation));
