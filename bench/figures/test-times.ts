/** How long the last runs of the tests and of `.ci/run` took on this machine. */
import { slowness } from '../support/machine-speed.ts';
import type { Bench } from '../support/figure.ts';
import { lastRuns } from '../../test/support/run-cache.ts';

const TITLES: Record<string, string> = {
  fast: '`npm test`',
  full: '`npm run test:full`',
  database: 'the tests on the oldest PostgreSQL',
  ci: '`.ci/run`, all of it',
};

export const testTimes: Bench = async () => {
  const runs = lastRuns();
  const factor = slowness();
  const getSeconds = (tier: string): number | undefined => {
    const run = runs.find((one) => one.tier === tier);
    return run && run.seconds / factor;
  };
  const [fastTests, ci] = [getSeconds('fast'), getSeconds('ci')];
  return {
    title: 'Tests',
    method: `The last run of each on this machine, which is ${factor.toFixed(2)} times as slow as the one on which the bounds were set.`,
    columns: ['', 'seconds', 'files', 'tests'],
    rows: runs
      .filter(({ tier }) => tier in TITLES)
      .map(({ tier, seconds, files, tests }) => [TITLES[tier]!, seconds, files || '', tests || '']),
    targets: [],
    values: { ...(fastTests !== undefined && { fastTests }), ...(ci !== undefined && { ci }) },
  };
};
