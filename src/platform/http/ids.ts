/**
 * IDs: a TypeID (prefix + UUIDv7 in base32) in the API, a plain `uuid` in the database.
 * https://github.com/jetify-com/typeid/tree/main/spec
 */
import { randomFillSync, randomInt } from 'node:crypto';
import { fromString, fromUUID, toUUID, typeidUnboxed } from 'typeid-js';
import { v7 } from 'uuid';
import { currentMs } from '../time/clock.ts';

/** Of requests, which this layer names itself; the other prefixes are registered in core/vocabulary/nouns.ts. */
export const REQUEST_PREFIX = 'req';

/** Base32 of a UUIDv7, 26 characters; the first carries only 3 bits. */
export const ID_SUFFIX = '[0-7][0-9a-hjkmnp-tv-z]{25}';

/** The last UUIDv7 of this process: its time, and the counter of those that share it (RFC 9562, section 6.2). */
let last = { msecs: Number.NEGATIVE_INFINITY, seq: 0 };
/** Leaves half of the counter's 32 bits for others of the same millisecond. */
const FIRST_SEQ_BELOW = 2 ** 31;
const MAX_SEQ = 2 ** 32 - 1;

/** Returns a new UUIDv7. IDs of one process ascend, also while the clock stands still or was set back. */
export function newUuid(): string {
  const msecs = currentMs();
  if (msecs > last.msecs) last = { msecs, seq: randomInt(FIRST_SEQ_BELOW) };
  else if (last.seq < MAX_SEQ) last.seq++;
  else last = { msecs: last.msecs + 1, seq: 0 };
  return v7(last);
}

/** @returns the TypeID of a UUID */
export const toTypeId = (prefix: string, uuid: string): string => fromUUID(uuid, prefix);

/** @returns the UUID of a TypeID; null if `id` is not a TypeID with this prefix */
export function typeIdToUuid(prefix: string, id: string): string | null {
  try {
    return toUUID(fromString(id, prefix));
  } catch {
    return null; // typeid-js reports a malformed ID only by throwing
  }
}

const BASE32 = '0123456789abcdefghjkmnpqrstvwxyz';
/** Characters at the end of a TypeID that hold nothing but random bits. */
const RANDOM_TAIL = 12;
const pool = Buffer.alloc(RANDOM_TAIL * 512);
let poolAt = pool.length;
let headMs = 0;
let head = '';

/** Headers that name a request: ours, and the one that OpenAI's clients and other tools look for. */
export const requestIdHeaders = (id: string) => ({ 'fairlead-request-id': id, 'x-request-id': id });

/** A request's ID. One in each millisecond is made whole; the others take its head and a random tail of their own. */
export function newRequestId(): string {
  const now = Date.now();
  if (now !== headMs) {
    headMs = now;
    head = typeidUnboxed(REQUEST_PREFIX).slice(0, -RANDOM_TAIL);
  }
  if (poolAt === pool.length) {
    randomFillSync(pool);
    poolAt = 0;
  }
  let id = head;
  for (const end = poolAt + RANDOM_TAIL; poolAt < end; poolAt++) id += BASE32[pool[poolAt]! & 31];
  return id;
}

const VALUES = Uint8Array.from({ length: 128 }, (_, code) =>
  Math.max(0, BASE32.indexOf(String.fromCharCode(code))),
);
const uuidBytes = Buffer.alloc(16);

/**
 * Converts an ID of `newRequestId` to a UUID. Each request of the log needs it, and `typeIdToUuid`, which checks the ID, takes
 * several times as long.
 */
export function requestIdToUuid(id: string): string {
  let [bits, count, byte] = [0, -2, 0]; // 26 characters of 5 bits: the first 2 bits are padding
  for (let at = REQUEST_PREFIX.length + 1; at < id.length; at++) {
    bits = ((bits << 5) | VALUES[id.charCodeAt(at)]!) & 0xfff;
    count += 5;
    if (count < 8) continue;
    count -= 8;
    uuidBytes[byte++] = bits >> count;
  }
  const hex = uuidBytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
