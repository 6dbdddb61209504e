/**
 * The bounds of what `npm run figures` measures. With `--check` a figure may be over its bound by TOLERANCE.
 *
 * Times are those of the machine on which the bounds were set: on a slower one they are divided by how slow it is
 * (support/machine-speed.ts).
 */
export const TOLERANCE = 0.25;

export interface Bound {
  title: string;
  most: number;
  unit: 's' | 'MB' | 'kB' | 'lines';
}

export const BOUNDS = {
  firstStart: { title: 'First start, until `/readyz` answers', most: 2.5, unit: 's' },
  restart: { title: 'Restart, until `/readyz` answers', most: 1, unit: 's' },
  idleMemory: { title: 'Idle memory of all processes, without npm', most: 150, unit: 'MB' },
  firstLoad: { title: 'First load of the heaviest page of the console, gzipped', most: 200, unit: 'kB' },
  serverBundle: { title: 'Server bundle, without source maps', most: 12, unit: 'MB' },
  packedFile: { title: 'Packed file', most: 11, unit: 'MB' },
  installed: { title: 'Installed packed file', most: 320, unit: 'MB' },
  imageContent: { title: 'Image, without its base image', most: 350, unit: 'MB' },
  fastTests: { title: '`npm test`', most: 240, unit: 's' },
  ci: { title: '`.ci/run`', most: 900, unit: 's' },
  productLines: { title: 'Source lines of the product', most: 145_000, unit: 'lines' },
  testLines: { title: 'Source lines of tests', most: 85_000, unit: 'lines' },
} as const satisfies Record<string, Bound>;

export type BoundName = keyof typeof BOUNDS;
/** What a figure measured, in the unit of its bound. */
export type Values = Partial<Record<BoundName, number>>;
