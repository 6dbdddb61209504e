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
  'test/{conformance,crash,journeys,operations,upgrade}/**/*.test.ts',
];
const BROWSER = 'test/browser/**/*.test.ts';

export default defineConfig({
  test: {
    globalSetup: ['test/global-setup.ts'],
    setupFiles: ['test/setup.ts'],
    sequence: { sequencer: LongestFirst },
    expect: { poll: PATIENCE },
    // A machine that is busy with other work may be many times slower; only a test that hangs takes so long.
    testTimeout: 240_000,
    // A hook that hangs does so again: `toTryAgain` gives its file no second try.
    hookTimeout: 120_000,
    projects: [
      // A browser and its server keep a core busy.
      {
        test: {
          name: 'browser',
          include: [BROWSER],
          isolate: true,
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      // Many tests wait (for a lease, a start, another program), so that two cores bear four.
      {
        test: {
          name: 'isolated',
          include: ISOLATED,
          isolate: true,
          maxWorkers: 4,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'shared',
          include: SHARED,
          exclude: ISOLATED,
          isolate: false,
          maxWorkers: 4,
          sequence: { groupOrder: 1 },
          provide: { isShared: true },
        },
      },
    ],
  },
});
