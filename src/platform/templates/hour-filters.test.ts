import { expect, test } from 'vitest';
import { hourFilters, isBetween } from './hour-filters.ts';

const { is_outside: isOutside } = hourFilters;

test('a time of day is between two others in a zone, summer and winter', () => {
  for (const [time, zone, expected] of [
    ['2026-01-15T08:00:00.000Z', 'Europe/Berlin', true],
    ['2026-01-15T07:59:59.999Z', 'Europe/Berlin', false],
    ['2026-07-15T07:00:00.000Z', 'Europe/Berlin', true],
    ['2026-07-15T15:00:00.000Z', 'Europe/Berlin', false],
    ['2026-01-15T16:59:00.000Z', undefined, true],
    ['2026-01-15T17:00:00.000Z', undefined, false],
  ] as const) {
    expect([time, isBetween(time, '09:00', '17:00', zone)]).toEqual([time, expected]);
    expect(isOutside(time, '9:00', '17:00', zone)).toBe(!expected);
  }
});

test('over midnight', () => {
  const night = (time: string) => isBetween(`2026-01-15T${time}:00Z`, '22:00', '06:00');
  expect(['21:59', '22:00', '00:00', '05:59', '06:00'].map(night)).toEqual([false, true, true, true, false]);
});

test('what cannot be read is told', () => {
  expect(() => isBetween('soon', '09:00', '17:00')).toThrow('is not a time');
  expect(() => isBetween('2026-01-15T08:00:00Z', '25:00', '17:00')).toThrow('not a time of day');
  expect(() => isBetween('2026-01-15T08:00:00Z', '09:00', '17:00', 'Europe/Berlyn')).toThrow(
    'not an IANA time zone',
  );
});
