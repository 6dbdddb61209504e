/** Prompt and response of a call as they are stored: cut to a size, sealed, and bound to their row. */
import { parseOwnJson } from '../../../platform/json/own-json.ts';
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';

/** Of a request and of a response each, in UTF-8. */
const MAX_BYTES = 64 * 1024;

export interface CallContent {
  /** The body, as JSON. */
  request: string;
  /** The body as it was sent; null if no response was opened. */
  response: string | null;
  /** Whether one of them was longer. */
  truncated: boolean;
}

export interface ContentCapture {
  /** Adds a part of the response. */
  add(chunk: Uint8Array): void;
  get(): CallContent;
}

/** Decodes the first MAX_BYTES. Never splits a character. */
const decode = (bytes: Uint8Array): string =>
  new TextDecoder().decode(bytes.subarray(0, MAX_BYTES), { stream: bytes.length > MAX_BYTES });

/** Collects the prompt and response of a call, in bounded memory. @param body the request body as sent */
export function createContentCapture(body: Buffer): ContentCapture {
  // A copy doesn't keep the rest of a large body in memory.
  const request = Buffer.from(body.subarray(0, MAX_BYTES + 1));
  const parts: Uint8Array[] = [];
  let size = 0;
  return {
    add(chunk) {
      // One byte more than is kept shows that there was more. A copy doesn't keep the connection's buffer in memory.
      if (size <= MAX_BYTES) parts.push(Buffer.from(chunk.subarray(0, MAX_BYTES + 1 - size)));
      size += chunk.length;
    },
    get: () => ({
      request: decode(request),
      response: size ? decode(Buffer.concat(parts)) : null,
      truncated: request.length > MAX_BYTES || size > MAX_BYTES,
    }),
  };
}

export const callContentContext = (row: { workspace_id: string; id: string }): string =>
  `${row.workspace_id}|model_call_contents|${row.id}`;

/** @throws Error if it was sealed with another root secret or for another call */
export const openCallContent = (
  box: SecretBox,
  row: { workspace_id: string; id: string; content_sealed: string },
): CallContent => parseOwnJson(box.open(row.content_sealed, callContentContext(row)));
