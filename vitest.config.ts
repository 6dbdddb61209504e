import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    setupFiles: ['test/setup.ts'],
    sequence: { sequencer: LongestFirst },
    expect: { poll: { timeout: 10_000 } },
    testTimeout: 40_000,
    hookTimeout: 60_000,
    // Many tests wait (for a lease, a browser, a start), so that two cores bear three.
    maxWorkers: 3,
  },
});
