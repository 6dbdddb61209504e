/** The time in a UUIDv7: its first 48 bits are milliseconds since 1970 (RFC 9562, section 5.7). */

/** The lowest uuid of a millisecond: a bound of ranges over IDs. */
export function firstUuidAt(time: Date): string {
  const hex = Math.max(0, time.getTime()).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** Below and above all IDs. */
export const FIRST_UUID = '00000000-0000-0000-0000-000000000000';
export const LAST_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export interface IdRange {
  from: string;
  /** Not in it. */
  below: string;
}

/**
 * The IDs that a page of a list may hold, newest first: an ID holds the time that its row was made.
 * @param after the last ID of the page before; null for the first page
 * @param created made after, and before, these times; neither counts itself
 */
export function idRange(
  after: string | null,
  { createdAfter, createdBefore }: { createdAfter?: Date | string; createdBefore?: Date | string },
): IdRange {
  const before = createdBefore && firstUuidAt(new Date(createdBefore));
  const from = createdAfter && firstUuidAt(new Date(new Date(createdAfter).getTime() + 1));
  const [below] = [after, before].filter((bound) => typeof bound === 'string').toSorted();
  return { from: from || FIRST_UUID, below: below || LAST_UUID };
}

/** When a UUIDv7 was made. */
export function timeOfUuid(uuid: string): Date {
  return new Date(Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16));
}
