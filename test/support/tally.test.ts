import { describe, expect, test } from 'vitest';
import {
  afterSecondTry,
  conclusion,
  count,
  type FileResult,
  isSound,
  MOST_TRIED_AGAIN,
  NO_FILE,
  NO_REASON,
  OUTSIDE,
  slowest,
  toTryAgain,
} from './tally.ts';

const file = (path: string, { passed = [], failed = [], ...more }: Tests = {}): FileResult => ({
  file: path,
  ms: 0,
  passed,
  failed: failed.map((name) => ({ name, error: `${name} is wrong` })),
  skipped: [],
  ...more,
});
interface Tests {
  passed?: string[];
  failed?: string[];
  skipped?: FileResult['skipped'];
  ms?: number;
}

const SOUND = file('a', { passed: ['one', 'two'] });

describe('what is tried again', () => {
  test('is what failed', () => {
    expect(toTryAgain([SOUND, file('b', { failed: ['x'] })])).toEqual(['b']);
    expect(toTryAgain([SOUND])).toEqual([]);
  });

  test('is nothing when too much failed, or nobody knows where', () => {
    const failing = (n: number) => Array.from({ length: n }, (_, i) => file(`f${i}`, { failed: ['x'] }));
    expect(toTryAgain(failing(MOST_TRIED_AGAIN))).toHaveLength(MOST_TRIED_AGAIN);
    expect(toTryAgain(failing(MOST_TRIED_AGAIN + 1))).toEqual([]);
    expect(toTryAgain([...failing(1), file(NO_FILE, { failed: [OUTSIDE] })])).toEqual([]);
  });
});

describe('after the second try', () => {
  const first = [SOUND, file('b', { passed: ['p'], failed: ['x', 'y'] })];

  test('what passes counts as passed, and is named with its first error', () => {
    const { results, cured } = afterSecondTry(first, [file('b', { passed: ['p', 'x', 'y'] })]);
    expect(count(results)).toEqual({ passed: 5, failed: 0, skipped: 0 });
    expect(isSound(results)).toBe(true);
    expect(conclusion(results, cured)).toBe(
      [
        'Passed only at the second try, alone:',
        '  b > x',
        '      x is wrong',
        '  b > y',
        '      y is wrong',
        '5 passed, 0 failed',
      ].join('\n'),
    );
  });

  test('what fails twice has failed', () => {
    const { results, cured } = afterSecondTry(first, [file('b', { passed: ['p', 'x'], failed: ['y'] })]);
    expect(count(results)).toEqual({ passed: 4, failed: 1, skipped: 0 });
    expect(cured.map(({ name }) => name)).toEqual(['x']);
    expect(isSound(results)).toBe(false);
    expect(conclusion(results, cured)).toMatch(/\nFailed:\n {2}b > y\n {6}y is wrong\n4 passed, 1 failed$/);
  });

  test('so has what passed at the first try alone, and what did not run again', () => {
    const failedNow = afterSecondTry(first, [file('b', { passed: ['x', 'y'], failed: ['p'] })]);
    expect(count(failedNow.results)).toEqual({ passed: 4, failed: 1, skipped: 0 });
    const skipped = [{ name: 'y', reason: 'needs luck' }];
    const skippedNow = afterSecondTry(first, [file('b', { passed: ['p', 'x'], skipped })]);
    expect(skippedNow.results[1]!.failed.map(({ name }) => name)).toEqual(['y']);
    expect(afterSecondTry(first, []).results).toEqual(first);
  });

  test('an import or a hook that failed is cured by tests that pass, and by nothing else', () => {
    const broken = [file('b', { failed: [OUTSIDE] })];
    const { results, cured } = afterSecondTry(broken, [file('b', { passed: ['p', 'x'] })]);
    expect(count(results)).toEqual({ passed: 2, failed: 0, skipped: 0 });
    expect(cured).toHaveLength(1);
    expect(count(afterSecondTry(broken, [file('b')]).results).failed).toBe(1);
    const twice = afterSecondTry(broken, [file('b', { passed: ['p'], failed: [OUTSIDE] })]);
    expect(count(twice.results)).toEqual({ passed: 1, failed: 1, skipped: 0 });
  });

  test('an error of the second try that belongs to no file counts', () => {
    const passes = file('b', { passed: ['p', 'x', 'y'] });
    const { results } = afterSecondTry(first, [passes, file(NO_FILE, { failed: [OUTSIDE] })]);
    expect(count(results).failed).toBe(1);
  });
});

test('a skip without a reason, or nothing at all, is not sound', () => {
  const skipped = (reason: string) => [SOUND, file('b', { skipped: [{ name: 'x', reason }] })];
  expect(isSound(skipped('needs a browser'))).toBe(true);
  expect(isSound(skipped(NO_REASON))).toBe(false);
  expect(isSound([])).toBe(false);
  expect(conclusion(skipped('needs a browser'), [])).toBe(
    'Skipped, needs a browser:\n  b > x\n2 passed, 0 failed, 1 skipped',
  );
});

test('the slowest files come first', () => {
  const files = [1_000, 31_000, 2_600].map((ms) => file(`f${ms}`, { ms }));
  expect(slowest(files, 2)).toBe('The slowest files:\n   31 s  f31000\n    3 s  f2600');
});
