/** LiquidJS's `date` with what strftime has and it does not: `%F` and its kin, and abbreviations of time zones for `%Z`. */
import { filters as standard } from 'liquidjs';
import type { Limits } from './limits.ts';
import { plain } from './values.ts';

type DateFilter = (this: { context: { memoryLimit: Limits } }, ...given: unknown[]) => unknown;

const SHORTHANDS: Record<string, string> = {
  D: '%m/%d/%y',
  F: '%Y-%m-%d',
  R: '%H:%M',
  r: '%I:%M:%S %p',
  T: '%H:%M:%S',
  v: '%e-%^b-%Y',
};
/** Each knows the abbreviations of its part of the world, and writes `GMT+1` for the others. */
const LOCALES = ['en-US', 'en-GB', 'en-AU', 'en-IN', 'en-NZ', 'en-ZA'];

const convert = standard.date as unknown as DateFilter;

/** @returns `CET`, `EST`; null where nobody abbreviates the zone */
function abbreviate(seconds: number, zone: string): string | null {
  for (const locale of LOCALES) {
    const parts = new Intl.DateTimeFormat(locale, { timeZone: zone, timeZoneName: 'short' }).formatToParts(
      seconds * 1000,
    );
    const name = parts.find(({ type }) => type === 'timeZoneName')?.value;
    if (name !== undefined && /^[A-Z]{2,5}$/.test(name)) return name;
  }
  return null;
}

export const dateFilter: DateFilter = function (value, format, zone) {
  if (format === undefined || format === null) return convert.call(this, value, format, zone);
  const isAny = /%[DFRrTvZ]/.test(plain(format));
  const written = !isAny
    ? format
    : plain(format).replaceAll(/%([%DFRrTvZ])/g, (directive, letter: string) => {
        if (letter !== 'Z') return SHORTHANDS[letter] ?? directive;
        const seconds = Number(convert.call(this, value, '%s', zone));
        // A zone that is an offset in minutes has no name.
        const name =
          typeof zone === 'number' || Number.isNaN(seconds)
            ? null
            : abbreviate(seconds, plain(zone ?? 'UTC'));
        return name ?? '%z';
      });
  return convert.call(this, value, written, zone);
};
