/**
 * Time zones by Intl alone. A wall time is what clocks there show, written as milliseconds as if it were UTC: so its days
 * all have 24 hours, while those of instants have 23 or 25 where clocks are set.
 */
const MINUTE = 60_000;
export const QUARTER = 15 * MINUTE;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export interface Zone {
  /** As it was asked for. */
  name: string;
  /** Offset from an instant to its local time, in milliseconds. */
  offsetAt(instant: number): number;
  toWall(instant: number): number;
  /** The first instant whose clocks show this time or, where clocks skip it, a later one. */
  fromWall(wall: number): number;
}

const MAX_ZONES = 600;
const formatters = new Map<string, Intl.DateTimeFormat>();

/** Offsets as "+02:00" are no zones: they know no summer. */
const NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,59}$/;
/** GMT, GMT+05:45, or GMT-00:44:30 of old. */
const OFFSET = /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;

function getFormatter(name: string): Intl.DateTimeFormat | null {
  const known = formatters.get(name);
  if (known) return known;
  if (!NAME.test(name)) return null;
  try {
    const made = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
    // Names in all their spellings are more than there are zones.
    if (formatters.size < MAX_ZONES) formatters.set(name, made);
    return made;
  } catch {
    return null; // Intl tells an unknown zone only by throwing
  }
}

function readOffset(formatter: Intl.DateTimeFormat, instant: number): number {
  const part = formatter.formatToParts(instant).find(({ type }) => type === 'timeZoneName');
  const match = OFFSET.exec(part?.value ?? '');
  if (!match) throw new Error(`an offset that cannot be read: ${part?.value}`);
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = match;
  const size = Number(hours) * HOUR + Number(minutes) * MINUTE + Number(seconds) * 1_000;
  return sign === '-' ? -size : size;
}

/** @returns null where there is no such zone */
export function getZone(name: string): Zone | null {
  const formatter = getFormatter(name);
  if (!formatter) return null;
  const offsetAt = (instant: number): number => readOffset(formatter, instant);
  const toWall = (instant: number): number => instant + offsetAt(instant);
  return {
    name,
    offsetAt,
    toWall,
    fromWall(wall) {
      const offsets = [offsetAt(wall - DAY), offsetAt(wall + DAY)];
      const [first, last] = offsets.map((offset) => wall - offset).toSorted((a, b) => a - b) as [
        number,
        number,
      ];
      if (toWall(first) === wall) return first;
      if (toWall(last) === wall) return last;
      // Clocks skip it: the moment at which they are set lies between.
      let [below, above] = [first - MINUTE, last];
      while (above - below > 1) {
        const middle = Math.floor((below + above) / 2);
        if (toWall(middle) < wall) below = middle;
        else above = middle;
      }
      return above;
    },
  };
}
