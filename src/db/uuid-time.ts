/** The time in a UUIDv7: its first 48 bits are milliseconds since 1970 (RFC 9562, section 5.7). */

/** The lowest uuid of a millisecond: a bound of ranges over ids. */
export function firstUuidAt(time: Date): string {
  const hex = Math.max(0, time.getTime()).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** When a UUIDv7 was made. */
export function timeOfUuid(uuid: string): Date {
  return new Date(Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16));
}
