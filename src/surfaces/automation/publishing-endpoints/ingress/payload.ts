/**
 * Parses a request body into the payload that templates see, by content type only. Invalid bodies are rejected and not
 * stored. Characters that the database cannot store are replaced.
 * | - JSON: its value.
 * - A form: an object of its fields, or the JSON in its single field `payload` (GitHub, Slack).
 * - Text: `{text}`. `text/plain` that is a JSON object is that object: Amazon SNS and `sendBeacon` send JSON so.
 * - A batch (newline-delimited JSON, CloudEvents): the value of each line or event.
 * - No body: `{}`.
 * | `curl -d '{…}'` sends JSON with a form content type. No form starts with a brace, so such a body is parsed as JSON.
 */
import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { storableText } from '../../../../platform/db/storable-text.ts';
import { readCoding, unpackBody } from '../../../../platform/http/content-coding.ts';
import {
  assertUtf8Type,
  getCharset,
  mayBeUnstorable,
  readLosslessJson,
} from '../../../../platform/http/json-body.ts';
import { invalid, Problem } from '../../../../platform/http/problem.ts';
import { createFields, looksLikeJson } from './fields.ts';
import { readMultipart } from './multipart.ts';
import { makeStorable } from './storable-payload.ts';

/** Maximum body size in bytes. */
export const MAX_BODY = 1024 * 1024;

export interface ReceivedBody {
  /** Any JSON value that the database can store. */
  payload: unknown;
  /** Number of characters in it that could not be stored and were replaced by U+FFFD. */
  replaced: number;
  /** As received; null if missing. */
  contentType: string | null;
  /** Bytes after decompression. */
  size: number;
}

export interface ReceivedBodies {
  bodies: ReceivedBody[];
  /** Whether the sender sent a batch, also one of a single event or none. */
  isBatch: boolean;
}

/** Maximum events in a batch: they are accepted in one transaction. */
export const MAX_BATCH = 100;

const MAX_TYPE = 200;
const TAKEN_TYPES =
  'application/json, application/x-ndjson, application/cloudevents+json, application/cloudevents-batch+json, application/x-www-form-urlencoded, multipart/form-data and text/*';

const unknownType = (type: string): Problem =>
  new Problem('unsupported_media_type', `${type.slice(0, 100)} is not supported; ${TAKEN_TYPES} are.`);

const invalidText = (detail: string): Problem => invalid([{ pointer: '', code: 'invalid_text', detail }]);

function utf8(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw invalidText('the body is not UTF-8');
  return bytes.toString();
}

function readForm(bytes: Buffer): unknown {
  const text = utf8(bytes);
  if (looksLikeJson(text)) return readLosslessJson(bytes);
  const fields = createFields();
  for (const [name, value] of new URLSearchParams(text)) fields.add(name, value);
  return fields.payload();
}

function decode(bytes: Buffer, charset: string): string {
  let decoder: InstanceType<typeof TextDecoder>;
  try {
    decoder = new TextDecoder(charset, { fatal: true });
  } catch {
    throw unknownType(`The charset ${charset}`);
  }
  try {
    return decoder.decode(bytes);
  } catch {
    throw invalidText(`the body is not ${charset}`);
  }
}

function readText(bytes: Buffer, type: string): unknown {
  return { text: decode(bytes, getCharset(type) ?? 'utf-8') };
}

/** Reads plain text that is a JSON object; undefined if it is not. */
function readPlainObject(bytes: Buffer, type: string): unknown {
  const charset = getCharset(type);
  if ((charset !== null && charset !== 'utf-8') || !looksLikeJson(bytes.toString('latin1'))) return undefined;
  try {
    const value = readLosslessJson(bytes);
    return Array.isArray(value) ? undefined : value;
  } catch (error) {
    // Text that only looks like JSON is text.
    if (!(error instanceof Problem)) throw error;
    return undefined;
  }
}

const isJson = (mime: string): boolean => mime === 'application/json' || /^[^/]+\/[^/]+\+json$/.test(mime);

async function toPayload(type: string | null, mime: string, bytes: Buffer): Promise<unknown> {
  if (isJson(mime) || mime === 'application/x-www-form-urlencoded') {
    assertUtf8Type(type!);
    return isJson(mime) ? readLosslessJson(bytes) : readForm(bytes);
  }
  if (mime === 'multipart/form-data') return readMultipart(type!, bytes);
  if (mime.startsWith('text/'))
    return (mime === 'text/plain' ? readPlainObject(bytes, type!) : undefined) ?? readText(bytes, type!);
  if (type === null)
    return looksLikeJson(bytes.toString('latin1')) ? readLosslessJson(bytes) : readText(bytes, '');
  throw unknownType(type);
}

const LINES: ReadonlySet<string> = new Set([
  'application/x-ndjson',
  'application/ndjson',
  'application/jsonl',
]);
const EVENTS = 'application/cloudevents-batch+json';

/** @throws Problem payload_too_large */
function assertBatchSize(count: number): void {
  if (count > MAX_BATCH)
    throw new Problem('payload_too_large', `A batch can have at most ${MAX_BATCH} events.`);
}

const LINE_FEED = 10;
/** Line feed, carriage return, space and tab. */
const BLANKS = [LINE_FEED, 13, 32, 9];

/** @throws Problem invalid_json with the number of the line, payload_too_large */
function readLines(bytes: Buffer): { bytes: Buffer; value: unknown }[] {
  const lines: { bytes: Buffer; value: unknown }[] = [];
  for (let from = 0, number = 1; from < bytes.length;) {
    const code = bytes[from]!;
    if (BLANKS.includes(code)) {
      if (code === LINE_FEED) number++;
      from++;
      continue;
    }
    const end = bytes.indexOf(LINE_FEED, from);
    const line = bytes.subarray(from, end === -1 ? bytes.length : end);
    from += line.length;
    assertBatchSize(lines.length + 1);
    try {
      lines.push({ bytes: line, value: readLosslessJson(line) });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      throw new Problem(error.code, `Line ${number}: ${error.message}`);
    }
  }
  return lines;
}

/** @throws Problem invalid_json, payload_too_large */
function readEvents(bytes: Buffer): { bytes: Buffer; value: unknown }[] {
  const events = readLosslessJson(bytes);
  if (!Array.isArray(events)) throw new Problem('invalid_json', 'A batch of CloudEvents must be an array.');
  assertBatchSize(events.length);
  return events.map((value: unknown) => ({ bytes: Buffer.from(JSON.stringify(value)), value }));
}

const toMime = (type: string | null): string => (type ?? '').split(';', 1)[0]!.trim().toLowerCase();

const toContentType = (type: string | null): string | null =>
  type === null ? null : storableText(type.slice(0, MAX_TYPE));

async function unpack(headers: IncomingHttpHeaders, received: Buffer): Promise<Buffer> {
  const coding = readCoding(headers);
  return coding === null ? received : unpackBody(received, coding, MAX_BODY);
}

/**
 * Parses a body that may be a batch.
 * @param received as of `readPayload`
 * @throws Problem as `readPayload`; payload_too_large also for too many events
 */
export async function readBodies(headers: IncomingHttpHeaders, received: Buffer): Promise<ReceivedBodies> {
  const type = headers['content-type'] ?? null;
  const mime = toMime(type);
  if (!LINES.has(mime) && mime !== EVENTS)
    return { bodies: [await readPayload(headers, received)], isBatch: false };
  assertUtf8Type(type!);
  const bytes = await unpack(headers, received);
  const read = LINES.has(mime) ? readLines : readEvents;
  const bodies = (bytes.length === 0 ? [] : read(bytes)).map((one): ReceivedBody => ({
    ...(mayBeUnstorable(one.bytes) ? makeStorable(one.value) : { payload: one.value, replaced: 0 }),
    contentType: toContentType(type),
    size: one.bytes.length,
  }));
  return { bodies, isBatch: true };
}

/**
 * Parses a body.
 * @param received the raw bytes, at most MAX_BODY; decompressed here according to Content-Encoding
 * @throws Problem unsupported_media_type, invalid_json, invalid_request, payload_too_large for too many values
 */
export async function readPayload(headers: IncomingHttpHeaders, received: Buffer): Promise<ReceivedBody> {
  const type = headers['content-type'] ?? null;
  const bytes = await unpack(headers, received);
  const mime = toMime(type);
  const isEmpty = bytes.length === 0 && mime !== 'multipart/form-data';
  const parsed = isEmpty ? {} : await toPayload(type, mime, bytes);
  const isStorable = isJson(mime) && !mayBeUnstorable(bytes);
  // The boundary differs with each attempt and has no meaning.
  const contentType = toContentType(mime === 'multipart/form-data' ? mime : type);
  return {
    ...(isStorable ? { payload: parsed, replaced: 0 } : makeStorable(parsed)),
    contentType,
    size: bytes.length,
  };
}
