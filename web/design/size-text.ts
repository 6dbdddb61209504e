import { language, plural } from '../copy/text.ts';

const UNITS = ['kilobyte', 'megabyte', 'gigabyte'] as const;

/** "482 kB", "1.2 MB". */
export function sizeWord(bytes: number): string {
  if (bytes < 1000) return plural(bytes, { one: '{count} byte', other: '{count} bytes' });
  const step = Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length);
  const format = new Intl.NumberFormat(language, {
    style: 'unit',
    unit: UNITS[step - 1] ?? 'kilobyte',
    unitDisplay: 'short',
    maximumFractionDigits: step > 1 ? 1 : 0,
  });
  return format.format(bytes / 1000 ** step);
}
