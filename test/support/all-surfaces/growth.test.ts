/** What a long run of all surfaces takes for growth (support/all-surfaces/growth.ts), which only long runs would show. */
import { describe, expect, test } from 'vitest';
import { whatGrew } from './growth.ts';
import type { Sample } from './memory.ts';
import type { OpenFiles } from './open-files.ts';

const MINUTES = 10;
const BOUNDS = { 'connections of callers': 400 };
const REST: OpenFiles = { 'connections of callers': 2, pipes: 11 };
const AT_REST = { before: REST, after: REST };

/** A sample every five seconds. @param at minutes → what there is then */
function getSamples(at: (minutes: number) => { server?: number; files?: OpenFiles }): Sample[] {
  return Array.from({ length: MINUTES * 12 + 1 }, (_, n) => {
    const { server = 400, files = REST } = at(n / 12);
    return { at: n * 5, server, postgres: 100, files };
  });
}

describe('a run of ten minutes', () => {
  test('callers who open more connections while answers are slow are no leak, if they are gone in the end', () => {
    const samples = getSamples((minutes) => ({
      files: { ...REST, 'connections of callers': 150 + Math.floor(minutes) * 10 },
    }));
    expect(whatGrew(samples, BOUNDS, AT_REST)).toEqual([]);
    const after = { ...REST, 'connections of callers': 3 };
    expect(whatGrew(samples, BOUNDS, { before: REST, after })).toEqual([
      'connections of callers: 3 after all of it, 2 before',
    ]);
  });

  test('more connections than may be are told', () => {
    const samples = getSamples(() => ({ files: { ...REST, 'connections of callers': 401 } }));
    expect(whatGrew(samples, BOUNDS, AT_REST)).toEqual([
      'connections of callers: 401 at once, and at most 400 may be',
    ]);
  });

  test('a file that is left open now and then is told, one that comes and goes is not', () => {
    const leaking = getSamples((minutes) => ({ files: { ...REST, pipes: 11 + Math.floor(minutes / 3) } }));
    expect(whatGrew(leaking, BOUNDS, AT_REST)).toEqual([expect.stringMatching(/^pipes: by [12]\.\d over/)]);
    const rotating = getSamples((minutes) => ({ files: { ...REST, pipes: minutes % 1 < 0.3 ? 12 : 11 } }));
    expect(whatGrew(rotating, BOUNDS, AT_REST)).toEqual([]);
  });

  test('memory that goes on growing is told, and that of the first minutes is not', () => {
    expect(
      whatGrew(
        getSamples((minutes) => ({ server: 400 + 10 * minutes })),
        BOUNDS,
        AT_REST,
      ),
    ).toEqual(['memory of the server: by 10.0 MB a minute']);
    expect(
      whatGrew(
        getSamples((minutes) => ({ server: 400 + 30 * Math.min(minutes, 3) })),
        BOUNDS,
        AT_REST,
      ),
    ).toEqual([]);
  });
});
