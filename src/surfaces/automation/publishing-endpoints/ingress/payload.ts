/**
 * Parses a request body into the payload that templates see, by content type only. Invalid bodies are rejected and not
 * stored. Characters that the database cannot store are replaced.
 * | - JSON: its value.
 * - A form: an object of its fields, or the JSON in its single field `payload` (GitHub, Slack).
 * - Text: `{text}`.
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

const MAX_TYPE = 200;
const TAKEN_TYPES = 'application/json, application/x-www-form-urlencoded, multipart/form-data and text/*';

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

const isJson = (mime: string): boolean => mime === 'application/json' || /^[^/]+\/[^/]+\+json$/.test(mime);

async function toPayload(type: string | null, mime: string, bytes: Buffer): Promise<unknown> {
  if (isJson(mime) || mime === 'application/x-www-form-urlencoded') {
    assertUtf8Type(type!);
    return isJson(mime) ? readLosslessJson(bytes) : readForm(bytes);
  }
  if (mime === 'multipart/form-data') return readMultipart(type!, bytes);
  if (mime.startsWith('text/')) return readText(bytes, type!);
  if (type === null)
    return looksLikeJson(bytes.toString('latin1')) ? readLosslessJson(bytes) : readText(bytes, '');
  throw unknownType(type);
}

/**
 * Parses a body.
 * @param received the raw bytes, at most MAX_BODY; decompressed here according to Content-Encoding
 * @throws Problem unsupported_media_type, invalid_json, invalid_request, payload_too_large for too many values
 */
export async function readPayload(headers: IncomingHttpHeaders, received: Buffer): Promise<ReceivedBody> {
  const type = headers['content-type'] ?? null;
  const coding = readCoding(headers);
  const bytes = coding === null ? received : await unpackBody(received, coding, MAX_BODY);
  const mime = (type ?? '').split(';', 1)[0]!.trim().toLowerCase();
  const isEmpty = bytes.length === 0 && mime !== 'multipart/form-data';
  const parsed = isEmpty ? {} : await toPayload(type, mime, bytes);
  const isStorable = isJson(mime) && !mayBeUnstorable(bytes);
  // The boundary differs with each attempt and has no meaning.
  const contentType = mime === 'multipart/form-data' ? mime : type;
  return {
    ...(isStorable ? { payload: parsed, replaced: 0 } : makeStorable(parsed)),
    contentType: contentType === null ? null : storableText(contentType.slice(0, MAX_TYPE)),
    size: bytes.length,
  };
}
