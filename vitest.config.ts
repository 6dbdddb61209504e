import { defineConfig } from 'vitest/config';
import { PATIENCE } from './test/support/patience.ts';
import { LongestFirst } from './test/support/file-order.ts';

/**
 * Files that run in one process one after the other: those that leave nothing behind in it. test/setup.ts fails a file
 * that does; `*.isolated.test.ts` is the name of a file that must (fake timers, the process's certificates or signals).
 */
const SHARED = ['{src,scripts,web}/**/*.test.ts', 'test/{support,contract,slow}/**/*.test.ts'];
const ISOLATED = [
  '**/*.isolated.test.ts',
  'test/{browser,conformance,crash,journeys,operations,upgrade}/**/*.test.ts',
];

export default defineConfig({
  test: {
    globalSetup: ['test/global-setup.ts'],
    setupFiles: ['test/setup.ts'],
    sequence: { sequencer: LongestFirst },
    expect: { poll: PATIENCE },
    // A machine that is busy with other work may be many times slower; only a test that hangs takes so long.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Many tests wait (for a lease, a browser, a start), so that two cores bear four.
    maxWorkers: 4,
    projects: [
      { test: { name: 'isolated', include: ISOLATED, isolate: true } },
      {
        test: {
          name: 'shared',
          include: SHARED,
          exclude: ISOLATED,
          isolate: false,
          provide: { isShared: true },
        },
      },
    ],
  },
});
