import { expect, test } from 'vitest';
import { summarize } from './ci-summary.ts';

const run = (more: object = {}) => ({
  title: 'Every test',
  passed: 5,
  failed: 0,
  skipped: 0,
  files: 3,
  seconds: 7,
  failures: [],
  flaky: [],
  skips: [],
  slowest: [],
  ...more,
});
const TABLE = '|  | now |\n| --- | ---: |\n| Restart | 0.7 s |\n';

test('a sound run ends with its table and its counts', () => {
  const { lines, failed } = summarize({ steps: [], runs: [run(), run()], table: TABLE });
  expect(failed).toBe(0);
  expect(lines).toEqual([
    'Every test: 3 files, 7 s, 5 passed, 0 failed, 0 skipped',
    'Every test: 3 files, 7 s, 5 passed, 0 failed, 0 skipped',
    ...TABLE.trimEnd().split('\n'),
    '10 passed, 0 failed',
  ]);
});

test('failed steps, failed tests and skipped tests count, and are named before the table', () => {
  const faulty = run({
    failed: 1,
    skipped: 2,
    failures: ['a.test.ts > x: wrong'],
    flaky: ['b.test.ts > y: late'],
    skips: ['2 tests, needs a browser'],
  });
  const { lines, failed } = summarize({ steps: ['npm run check'], runs: [faulty], table: TABLE });
  expect(failed).toBe(4);
  expect(lines.slice(0, 8)).toEqual([
    'Failed steps:',
    '  npm run check',
    'Failed tests:',
    '  a.test.ts > x: wrong',
    'Skipped, which counts as failed:',
    '  2 tests, needs a browser',
    'Flaky, passed only at the second try:',
    '  b.test.ts > y: late',
  ]);
  expect(lines.at(-1)).toBe('5 passed, 4 failed');
});

test('however much failed, the end has at most 60 lines', () => {
  const many = Array.from({ length: 400 }, (_, n) => `f${n}.test.ts > x: ${'wrong '.repeat(100)}`);
  const faulty = run({ failed: 400, failures: many, flaky: many, skips: many });
  const table = Array.from({ length: 16 }, () => '| a | b |').join('\n');
  const { lines } = summarize({ steps: many, runs: [faulty, run()], table });
  expect(lines.length).toBeLessThanOrEqual(60);
  expect(lines).toContain('  and 380 more, above');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(210);
});
