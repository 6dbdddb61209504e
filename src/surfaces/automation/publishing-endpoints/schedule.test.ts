import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ScheduleObject } from './schedule.schema.ts';
import { afterQuietHours, dueAt, readTime } from './schedule.ts';

const MINUTE = 60_000;
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/St_Johns',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'America/Santiago',
  'Africa/Casablanca',
  'Africa/Cairo',
];

/** Minute of the day that clocks show, found in another way than the code does. */
const clocks = new Map(
  ZONES.map((timeZone) => [
    timeZone,
    new Intl.DateTimeFormat('en-GB', { timeZone, hourCycle: 'h23', hour: '2-digit', minute: '2-digit' }),
  ]),
);
const minuteAt = (zone: string, time: number): number => {
  const [hour, minute] = clocks.get(zone)!.format(time).split(':').map(Number);
  return hour! * 60 + minute!;
};
const isQuiet = (zone: string, from: number, to: number, time: number): boolean => {
  const minute = minuteAt(zone, time);
  return from < to ? minute >= from && minute < to : minute >= from || minute < to;
};
const clock = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;

/** Moments around those at which clocks are set somewhere in 2026, and any others. */
const SET = [
  '2026-03-29T01:00:00Z',
  '2026-10-25T01:00:00Z',
  '2026-03-08T07:00:00Z',
  '2026-11-01T06:00:00Z',
  '2026-04-04T15:00:00Z',
  '2026-10-03T15:30:00Z',
  '2026-04-05T03:00:00Z',
  '2026-09-06T04:00:00Z',
  '2026-02-15T02:00:00Z',
  '2026-03-22T02:00:00Z',
  '2026-04-23T22:00:00Z',
  '2026-10-29T21:00:00Z',
].map((time) => Date.parse(time));
const moments = fc.oneof(
  fc
    .tuple(fc.constantFrom(...SET), fc.integer({ min: -30 * 3600_000, max: 6 * 3600_000 }))
    .map(([time, by]) => time + by),
  fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 0, 1) }),
);
const minutes = fc.oneof(fc.integer({ min: 0, max: 1439 }), fc.integer({ min: 0, max: 240 }));
const hours = fc.tuple(minutes, minutes).filter(([from, to]) => from !== to);

describe('quiet hours', () => {
  test('are never published in, and what waits goes at the first moment after', () => {
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), moments, hours, (zone, time, [from, to]) => {
        const due = afterQuietHours(new Date(time), {
          from: clock(from),
          to: clock(to),
          time_zone: zone,
        }).getTime();
        expect(due).toBeGreaterThanOrEqual(time);
        expect(isQuiet(zone, from, to, due)).toBe(false);
        if (due === time) return;
        expect(isQuiet(zone, from, to, due - 1)).toBe(true);
        for (let before = time; before < due; before += MINUTE)
          if (!isQuiet(zone, from, to, before)) throw new Error(`${new Date(before).toISOString()} was free`);
      }),
      { numRuns: 400 },
    );
  });

  test.each([
    // Not in them.
    ['22:00', '07:00', '2026-01-15T20:59:59.999Z', '2026-01-15T20:59:59.999Z'],
    ['22:00', '07:00', '2026-01-15T06:00:00Z', '2026-01-15T06:00:00Z'],
    // Over midnight, from both sides of it.
    ['22:00', '07:00', '2026-01-15T21:00:00Z', '2026-01-16T06:00:00Z'],
    ['22:00', '07:00', '2026-01-16T02:30:00Z', '2026-01-16T06:00:00Z'],
    // Within a day.
    ['12:00', '13:30', '2026-01-15T11:00:00.001Z', '2026-01-15T12:30:00Z'],
    // The night of the spring has an hour less; its end is skipped, so they end when the clocks are set.
    ['22:00', '07:00', '2026-03-28T21:00:00Z', '2026-03-29T05:00:00Z'],
    ['22:00', '02:30', '2026-03-28T21:00:00Z', '2026-03-29T01:00:00Z'],
    // Days off are skipped entirely.
    ['03:00', '02:30', '2026-03-28T21:00:00Z', '2026-03-30T00:30:00Z'],
    // The autumn night has an extra hour; an hour that occurs twice is quiet twice.
    ['22:00', '07:00', '2026-10-24T20:00:00Z', '2026-10-25T06:00:00Z'],
    ['22:00', '02:30', '2026-10-24T20:00:00Z', '2026-10-25T00:30:00Z'],
    ['22:00', '02:30', '2026-10-25T01:10:00Z', '2026-10-25T01:30:00Z'],
    ['02:00', '03:00', '2026-10-25T00:10:00Z', '2026-10-25T02:00:00Z'],
  ])('from %s to %s in Berlin: %s waits until %s', (from, to, time, expected) => {
    const due = afterQuietHours(new Date(time), { from, to, time_zone: 'Europe/Berlin' });
    expect(due.toISOString()).toBe(new Date(expected).toISOString());
  });
});

describe('times', () => {
  test.each([
    ['2026-01-15T09:30:00Z', '2026-01-15T09:30:00.000Z'],
    ['2026-01-15T09:30:00.250+01:00', '2026-01-15T08:30:00.250Z'],
    ['2026-01-15 09:30-0530', '2026-01-15T15:00:00.000Z'],
    ['  2026-01-15t09:30:00z\n', '2026-01-15T09:30:00.000Z'],
    ['1768469400', '2026-01-15T09:30:00.000Z'],
    ['1768469400.5', '2026-01-15T09:30:00.500Z'],
    ['0', '1970-01-01T00:00:00.000Z'],
    ['1.7e9', '2023-11-14T22:13:20.000Z'],
    ['1E9', '2001-09-09T01:46:40.000Z'],
    ['1.7684694005e+9', '2026-01-15T09:30:00.500Z'],
  ])('%j is read', (text, expected) => {
    expect((readTime(text) as Date).toISOString()).toBe(expected);
  });

  test.each([
    'tomorrow',
    '2026-01-15',
    '2026-01-15T09:30:00',
    '2026-02-30T09:30:00Z',
    '2026-13-01T09:30:00Z',
    '2026-01-15T24:30:00Z',
    '2026-01-15T09:30:00+25:00',
    '-5',
    '1768469400000',
    '1e12',
    '1e-9',
    '1.7e99',
    'NaN',
    '２０２６-01-15T09:30:00Z',
  ])('%j is no time', (text) => {
    expect(readTime(text)).toMatchObject({ code: 'invalid_time' });
  });

  test('that are blank say nothing', () => expect([readTime(''), readTime(' \n')]).toEqual([null, null]));
});

describe('due', () => {
  const NOW = new Date('2026-01-15T12:00:00Z');
  const schedule = (more: Partial<ScheduleObject>): ScheduleObject => ({
    at: '{{ payload.at }}',
    delay_seconds: 0,
    quiet_hours: null,
    ...more,
  });
  const NIGHT = { from: '22:00', to: '07:00', time_zone: 'Europe/Berlin' };

  test.each<[string, ScheduleObject | null, string, string | null]>([
    ['no schedule', null, '', null],
    ['a time to come', schedule({}), '2026-01-16T00:00:00Z', '2026-01-16T00:00:00.000Z'],
    ['a time that has passed', schedule({}), '2026-01-14T00:00:00Z', null],
    ['no text', schedule({}), '', null],
    ['a delay', schedule({ at: null, delay_seconds: 60 }), '', '2026-01-15T12:01:00.000Z'],
    [
      'a delay after a time',
      schedule({ delay_seconds: 60 }),
      '2026-01-16T00:00:00Z',
      '2026-01-16T00:01:00.000Z',
    ],
    [
      'a delay after one that has passed',
      schedule({ delay_seconds: 60 }),
      '2020-01-01T00:00:00Z',
      '2026-01-15T12:01:00.000Z',
    ],
    ['quiet hours that it is not in', schedule({ quiet_hours: NIGHT }), '', null],
    ['quiet hours', schedule({ quiet_hours: NIGHT }), '2026-01-15T23:00:00Z', '2026-01-16T06:00:00.000Z'],
    [
      'a delay into quiet hours',
      schedule({ quiet_hours: NIGHT, delay_seconds: 10 * 3600 }),
      '',
      '2026-01-16T06:00:00.000Z',
    ],
  ])('with %s', (_what, given, at, expected) => {
    const due = dueAt(given, at, NOW);
    expect(due instanceof Date ? due.toISOString() : due).toBe(expected);
  });

  test('is refused beyond a year, and where nothing can be read', () => {
    expect(dueAt(schedule({}), '2027-01-16T12:00:00Z', NOW)).toBeInstanceOf(Date);
    expect(dueAt(schedule({}), '2027-01-17T12:00:00Z', NOW)).toMatchObject({ code: 'out_of_range' });
    expect(dueAt(schedule({}), 'soon', NOW)).toMatchObject({ code: 'invalid_time' });
  });

  test('is never in quiet hours, nor before it was asked for, whatever the delay', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ZONES),
        moments,
        hours,
        fc.integer({ min: 0, max: 30 * 86_400 }),
        (zone, time, [from, to], delay) => {
          const quiet = { from: clock(from), to: clock(to), time_zone: zone };
          const given = schedule({ delay_seconds: delay, quiet_hours: quiet });
          const now = new Date(time);
          const due = (dueAt(given, '', now) ?? now) as Date;
          expect(due.getTime()).toBeGreaterThanOrEqual(time + delay * 1_000);
          expect(isQuiet(zone, from, to, due.getTime())).toBe(false);
        },
      ),
      { numRuns: 300 },
    );
  });
});
