/**
 * The bounds of what `npm run figures` measures. With `--check` a figure may be over its bound by TOLERANCE.
 *
 * Times are those of the machine on which the bounds were set: on a slower one they are divided by how slow it is
 * (support/machine-speed.ts).
 */
export const TOLERANCE = 0.25;

export interface Bound {
  title: string;
  max: number;
  unit: 's' | 'MB' | 'kB' | 'lines';
}

export const BOUNDS = {
  firstStart: { title: 'First start, until `/readyz` answers', max: 2.5, unit: 's' },
  restart: { title: 'Restart, until `/readyz` answers', max: 1, unit: 's' },
  idleMemory: { title: 'Idle memory of all processes, without npm', max: 150, unit: 'MB' },
  firstLoad: { title: 'First load of the heaviest page of the console, gzipped', max: 200, unit: 'kB' },
  serverBundle: { title: 'Server bundle, without source maps', max: 12, unit: 'MB' },
  packedFile: { title: 'Packed file', max: 11, unit: 'MB' },
  installed: { title: 'Installed packed file', max: 320, unit: 'MB' },
  imageContent: { title: 'Image, without its base image', max: 350, unit: 'MB' },
  fastTests: { title: '`npm test`', max: 240, unit: 's' },
  ci: { title: '`.ci/run`', max: 900, unit: 's' },
  productLines: { title: 'Source lines of the product', max: 180_000, unit: 'lines' },
  testLines: { title: 'Source lines of tests', max: 102_000, unit: 'lines' },
} as const satisfies Record<string, Bound>;

export type BoundName = keyof typeof BOUNDS;
/** What a figure measured, in the unit of its bound. */
export type Values = Partial<Record<BoundName, number>>;
