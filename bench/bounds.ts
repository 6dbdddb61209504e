/**
 * What `npm run figures` lists: the value that each figure should have, and the most that it may have. Only sizes have a
 * limit, because they are the same on every machine.
 */
export interface Bound {
  title: string;
  unit: 's' | 'MB' | 'kB' | 'lines';
  target: number;
  /** With `--check`, a larger value fails. */
  limit?: number;
}

export const BOUNDS = {
  firstStart: { title: 'First start, until `/readyz` answers', unit: 's', target: 2.5 },
  restart: { title: 'Restart, until `/readyz` answers', unit: 's', target: 1 },
  idleMemory: { title: 'Idle memory of all processes, without npm', unit: 'MB', target: 150 },
  firstLoad: {
    title: 'First load of the heaviest page of the console, gzipped',
    unit: 'kB',
    target: 150,
    limit: 150,
  },
  serverBundle: { title: 'Server bundle, without source maps', unit: 'MB', target: 12, limit: 14 },
  // 4 MB of it are the database of countries.
  packedFile: { title: 'Packed file', unit: 'MB', target: 15, limit: 18 },
  installed: { title: 'Installed packed file', unit: 'MB', target: 320, limit: 350 },
  imageContent: { title: 'Image, without its base image', unit: 'MB', target: 250, limit: 350 },
  productLines: { title: 'Source lines of the product', unit: 'lines', target: 180_000 },
  testLines: { title: 'Source lines of tests', unit: 'lines', target: 102_000 },
  fastTests: { title: '`npm test`', unit: 's', target: 240 },
  fullTests: { title: '`npm run test:full`', unit: 's', target: 1_500 },
  databaseTests: { title: 'The tests on the oldest PostgreSQL', unit: 's', target: 180 },
  ci: { title: '`.ci/run`', unit: 's', target: 2_100 },
} as const satisfies Record<string, Bound>;

export type BoundName = keyof typeof BOUNDS;
/** What a figure measured, in its unit. */
export type Values = Partial<Record<BoundName, number>>;

/** The figures that runs of the tests leave behind, by tier. */
export const OF_RUNS: Record<string, BoundName> = {
  fast: 'fastTests',
  full: 'fullTests',
  database: 'databaseTests',
  ci: 'ci',
};
