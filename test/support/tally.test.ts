import { describe, expect, test } from 'vitest';
import {
  afterSecondTry,
  conclusion,
  count,
  type FileResult,
  isSound,
  MAX_TRIED_AGAIN,
  NO_FILE,
  NO_REASON,
  OUTSIDE,
  slowest,
  summarizeRun,
  toTryAgain,
  withMissing,
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

describe('the second try', () => {
  test('runs the tests that failed', () => {
    expect(toTryAgain([SOUND, file('b', { passed: ['p'], failed: ['x', 'y'] })])).toEqual([
      { file: 'b', testNames: ['x', 'y'] },
    ]);
    expect(toTryAgain([SOUND])).toEqual([]);
  });

  test('runs the whole file after a failed import or hook', () => {
    expect(toTryAgain([file('b', { failed: ['x', OUTSIDE] })])).toEqual([{ file: 'b' }]);
  });

  test('leaves out a file whose hook hung', () => {
    const hung = {
      name: OUTSIDE,
      error: 'Error: Hook timed out in 60000ms.\nIf this is a long-running hook',
    };
    expect(toTryAgain([{ ...file('b'), failed: [hung] }, file('c', { failed: ['x'] })])).toEqual([
      { file: 'c', testNames: ['x'] },
    ]);
  });

  test('does not happen when too many files failed, or a failure belongs to no file', () => {
    const failing = (n: number) => Array.from({ length: n }, (_, i) => file(`f${i}`, { failed: ['x'] }));
    expect(toTryAgain(failing(MAX_TRIED_AGAIN))).toHaveLength(MAX_TRIED_AGAIN);
    expect(toTryAgain(failing(MAX_TRIED_AGAIN + 1))).toEqual([]);
    expect(toTryAgain([...failing(1), file(NO_FILE, { failed: [OUTSIDE] })])).toEqual([]);
  });
});

describe('after the second try', () => {
  const first = [SOUND, file('b', { passed: ['p'], failed: ['x', 'y'] })];

  test('a test that passes has passed, and is named with its first error', () => {
    const { results, cured } = afterSecondTry(first, [file('b', { passed: ['x', 'y'] })]);
    expect(count(results)).toEqual({ passed: 5, failed: 0, skipped: 0 });
    expect(isSound(results)).toBe(true);
    expect(conclusion(results, cured)).toBe(
      [
        'Flaky: passed only at the second try, alone:',
        '  b > x',
        '      x is wrong',
        '  b > y',
        '      y is wrong',
        '5 passed, 0 failed',
      ].join('\n'),
    );
  });

  test('a test that fails twice has failed', () => {
    const { results, cured } = afterSecondTry(first, [file('b', { passed: ['x'], failed: ['y'] })]);
    expect(count(results)).toEqual({ passed: 4, failed: 1, skipped: 0 });
    expect(cured.map(({ name }) => name)).toEqual(['x']);
    expect(isSound(results)).toBe(false);
    expect(conclusion(results, cured)).toMatch(/\nFailed:\n {2}b > y\n {6}y is wrong\n4 passed, 1 failed$/);
  });

  test('a test that did not run again has failed', () => {
    const skipped = [{ name: 'y', reason: 'needs luck' }];
    const { results } = afterSecondTry(first, [file('b', { passed: ['x'], skipped })]);
    expect(results[1]!.failed.map(({ name }) => name)).toEqual(['y']);
    expect(afterSecondTry(first, []).results).toEqual(first);
  });

  test('a test that passed at first has passed, whatever the second try says', () => {
    const { results } = afterSecondTry(first, [file('b', { passed: ['x', 'y'], failed: ['p'] })]);
    expect(count(results)).toEqual({ passed: 5, failed: 0, skipped: 0 });
  });

  test('a hook that fails at the second try cures nothing', () => {
    const { results } = afterSecondTry(first, [file('b', { passed: ['x', 'y'], failed: [OUTSIDE] })]);
    expect(count(results)).toEqual({ passed: 3, failed: 2, skipped: 0 });
  });

  test('a failed import or hook is cured by a file that passes, and by nothing else', () => {
    const broken = [file('b', { failed: [OUTSIDE] })];
    const { results, cured } = afterSecondTry(broken, [file('b', { passed: ['p', 'x'] })]);
    expect(count(results)).toEqual({ passed: 2, failed: 0, skipped: 0 });
    expect(cured).toHaveLength(1);
    expect(count(afterSecondTry(broken, [file('b')]).results).failed).toBe(1);
    const twice = afterSecondTry(broken, [file('b', { passed: ['p'], failed: [OUTSIDE] })]);
    expect(count(twice.results)).toEqual({ passed: 1, failed: 1, skipped: 0 });
  });
});

test('a skip without a reason, or a run of nothing, is not sound', () => {
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
  expect(slowest(files, { f31000: 28 }, 2)).toBe(
    'The slowest files (recorded before):\n   31 s (28)  f31000\n    3 s (–)  f2600',
  );
});

test('a file that should have run and did not has failed', () => {
  const results = withMissing([SOUND], ['a', 'b']);
  expect(count(results)).toEqual({ passed: 2, failed: 1, skipped: 0 });
  expect(results[1]).toMatchObject({ file: 'b', failed: [{ error: 'The file did not run.' }] });
});

test('the summary has a line for each failure, for each flaky test, and for each reason of skips', () => {
  const skipped = [
    { name: 'p', reason: 'needs a browser' },
    { name: 'q', reason: 'needs a browser' },
    { name: 'r', reason: 'not applicable: no groups' },
  ];
  const results = [SOUND, file('b', { failed: ['x'], skipped })];
  const cured = [{ file: 'c', name: 'y', error: 'late\nby much' }];
  expect(summarizeRun(results, cured, {}, 12)).toEqual({
    passed: 2,
    failed: 1,
    skipped: 2,
    files: 2,
    seconds: 12,
    failures: ['b > x: x is wrong'],
    flaky: ['c > y: late'],
    skips: ['2 tests, needs a browser'],
    slowest: ['    0 s (–)  a', '    0 s (–)  b'],
  });
});
