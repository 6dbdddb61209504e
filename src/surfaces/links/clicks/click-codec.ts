/**
 * Binary format of clicks. The payload of a journal frame is a sequence of records:
 *
 *   at 8 (double) · visitor 8 · IDs 32 · flags 1 · lengths 2 + 10 × 1 · all texts in one, UTF-8
 *
 * Each record begins with its own length (4 bytes). Numbers are little-endian. Text lengths count UTF-16 units, so that
 * one native call writes or reads all texts. The user agent's length takes two bytes, the others one: 0 is null, else
 * the length plus one. The destination URL has no length: it is what follows the other texts, and versions that don't
 * know it pass over it.
 *
 * Invariants: a record takes at most MAX_RECORD_BYTES, whatever a visitor sends; decoded texts can be stored by
 * PostgreSQL (no NUL, no lone surrogates).
 */
import type { RecordSpace } from '../../../platform/journal/record-space.ts';
import {
  UTM_PARAMETERS,
  type ClickIds,
  type ClickRecord,
  MAX_DESTINATION,
  type NewClick,
} from './click-record.ts';

const MAX_USER_AGENT = 512;
/** Maximum length of any other text. */
const MAX_TEXT = 254;
const TEXTS = 5 + UTM_PARAMETERS.length;
const FIXED_BYTES = 4 + 8 + 8 + 32 + 1 + 2 + TEXTS;

/** A UTF-16 unit takes at most three bytes. */
export const MAX_RECORD_BYTES = FIXED_BYTES + 3 * (MAX_USER_AGENT + TEXTS * MAX_TEXT + MAX_DESTINATION);

const IS_BOT = 1;

/** Encodes the UUIDs of a workspace and a link. Computed once per cached route and used for all of its clicks. */
export function clickIds(workspaceId: string, linkId: string): ClickIds {
  const bytes = Buffer.from((workspaceId + linkId).replaceAll('-', ''), 'hex');
  if (bytes.length !== 32) throw new TypeError(`${workspaceId} and ${linkId} are not UUIDs`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, 32);
  return Int32Array.from({ length: 8 }, (_, index) => view.getInt32(index * 4, true)) as ClickIds;
}

/** Writes the length of a text and returns the text, truncated if necessary. */
function writeText(text: string | null | undefined, view: DataView, at: number): string {
  if (text === null || text === undefined) {
    view.setUint8(at, 0);
    return '';
  }
  const truncated = text.length > MAX_TEXT ? text.slice(0, MAX_TEXT) : text;
  view.setUint8(at, truncated.length + 1);
  return truncated;
}

/**
 * Writes a click at `start`, where MAX_RECORD_BYTES must be free. Long texts are truncated.
 * @returns the position after the record
 */
export function encodeClick(click: NewClick, { bytes, view }: RecordSpace, start: number): number {
  view.setFloat64(start + 4, click.at, true);
  view.setBigUint64(start + 12, click.visitor, true);
  const { ids } = click;
  for (let index = 0; index < 8; index++) view.setInt32(start + 20 + index * 4, ids[index]!, true);
  view.setUint8(start + 52, click.isBot ? IS_BOT : 0);

  const { userAgent, utm } = click;
  let text = userAgent.length > MAX_USER_AGENT ? userAgent.slice(0, MAX_USER_AGENT) : userAgent;
  view.setUint16(start + 53, text.length, true);
  let at = start + 55;
  text += writeText(click.country, view, at++);
  text += writeText(click.city, view, at++);
  text += writeText(click.referrer, view, at++);
  text += writeText(click.language, view, at++);
  text += writeText(click.address, view, at++);
  for (let index = 0; index < UTM_PARAMETERS.length; index++) text += writeText(utm[index], view, at++);
  if (click.destinationUrl !== null) text += click.destinationUrl.slice(0, MAX_DESTINATION);

  const end = at + bytes.write(text, at, 'utf8');
  view.setUint32(start, end - start, true);
  return end;
}

function uuidAt(bytes: Buffer, at: number): string {
  const hex = bytes.toString('hex', at, at + 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

function decodeClick(bytes: Buffer, start: number, end: number): ClickRecord {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const text = bytes.toString('utf8', start + FIXED_BYTES, end).replaceAll('\0', '�');
  let from = 0;
  const next = (length: number): string => {
    if (from + length > text.length) throw new RangeError('Click record is shorter than its texts');
    return text.slice(from, (from += length)).toWellFormed();
  };
  const userAgent = next(view.getUint16(start + 53, true));
  const texts = Array.from({ length: TEXTS }, (_, index) => {
    const length = view.getUint8(start + 55 + index);
    return length === 0 ? null : next(length - 1);
  });
  const [country, city, referrer, language, address] = texts as [string | null, ...(string | null)[]];
  return {
    at: view.getFloat64(start + 4, true),
    workspaceId: uuidAt(bytes, start + 20),
    linkId: uuidAt(bytes, start + 36),
    visitor: view.getBigInt64(start + 12, true),
    isBot: (view.getUint8(start + 52) & IS_BOT) !== 0,
    country,
    city: city ?? null,
    userAgent,
    referrer: referrer ?? null,
    language: language ?? null,
    utm: texts.slice(5),
    address: address ?? null,
    destinationUrl: next(text.length - from) || null,
  };
}

/**
 * Decodes all clicks of a payload.
 * @throws RangeError if the payload is invalid. Its checksum was verified before, so another program wrote it.
 */
export function decodeClicks(payload: Buffer): ClickRecord[] {
  const clicks: ClickRecord[] = [];
  for (let start = 0; start < payload.length;) {
    const end = start + (start + FIXED_BYTES <= payload.length ? payload.readUInt32LE(start) : 0);
    if (end < start + FIXED_BYTES || end > payload.length) throw new RangeError('Click record is truncated');
    clicks.push(decodeClick(payload, start, end));
    start = end;
  }
  return clicks;
}
