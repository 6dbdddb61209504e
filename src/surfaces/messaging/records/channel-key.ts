/**
 * Lookup keys for names chosen by strangers: messages, chats and people of a channel. Such names may have any length,
 * but an index entry is limited to 2,704 bytes.
 */
import { createHash } from 'node:crypto';
import { storableText } from '../../../platform/db/storable-text.ts';

/** More than any Message-ID (998) and any address has. */
const MAX_BYTES = 1_000;
const PREFIX_BYTES = 960;

/**
 * Returns a name of at most 1,000 bytes unchanged; otherwise its beginning and a hash of the whole, which together are
 * longer than 1,000 bytes, so that no name equals it. Different names stay different.
 */
export function channelKey(name: string): string {
  const start = storableText(name.slice(0, MAX_BYTES));
  if (name.length <= MAX_BYTES && Buffer.byteLength(start) <= MAX_BYTES) return start;
  const bytes = Buffer.from(start).subarray(0, PREFIX_BYTES);
  // Drops a character that was cut in half.
  const prefix = new TextDecoder().decode(bytes, { stream: true });
  return `${prefix}~${createHash('sha256').update(name).digest('base64url')}`;
}
