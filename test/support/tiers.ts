/**
 * Assigns every test file to a tier by its folder, and selects the files of a run.
 *
 * - fast: the unit tests beside the code. What `npm test` runs.
 * - full: every file. What `npm run test:full` runs.
 * - database: the tests whose result depends on the PostgreSQL version.
 */
import { globSync } from 'node:fs';
import { ROOT } from './product.ts';
import { importClosure } from './test-imports.ts';

export const TIERS = ['fast', 'full', 'database'] as const;
export type Tier = (typeof TIERS)[number];
export const isTier = (name: string): name is Tier => (TIERS as readonly string[]).includes(name);

const FAST = ['{src,scripts,web}/**/*.test.ts', 'test/support/**/*.test.ts'];
const FULL = 'test/{browser,conformance,contract,crash,journeys,operations,slow,upgrade}/**/*.test.ts';

export interface Selected {
  /** Relative to the repository. */
  file: string;
  /** Runs only the tests with a matching name. */
  testNamePattern?: RegExp;
}

const find = (patterns: string | string[]): string[] => globSync(patterns, { cwd: ROOT }).toSorted();

/** Lists all test files. @throws Error naming the files that are in no tier's folder */
export function allTestFiles(): { fast: string[]; full: string[] } {
  const fast = find(FAST);
  const full = find(FULL);
  const known = new Set([...fast, ...full]);
  const stray = find('{src,test,bench,scripts,web}/**/*.test.{ts,tsx}').filter((file) => !known.has(file));
  if (stray.length > 0)
    throw new Error(
      `These test files are in no tier; move them to a folder of CONTRIBUTING.md:\n${stray.join('\n')}`,
    );
  return { fast, full };
}

/** Connects to the PostgreSQL server under test. */
const TEST_DATABASE = 'test/support/db.ts';
/** Composes the whole product. */
const APP = 'src/app/create-app.ts';
/** The product's own checks, figures and schema changes depend on system catalogs, which differ between versions. */
const ABOUT_THE_SERVER = /\b(health|metrics|migrat|partition|retention|lock|growth)[^/]*\.test\.ts$/;
/** Whole-product tests whose SQL or tools depend on the version: copies, upgrades, and every list query. */
const WHOLE_PRODUCT = [
  'src/ops/backup/',
  'src/platform/db/',
  'src/ops/move/',
  'test/contract/health',
  'test/contract/lists',
  'test/slow/ops/backup/',
  'test/slow/platform/db/',
  'test/slow/ops/move/',
  'test/upgrade/upgrade',
];
/** One successful call of each operation of the API runs the SQL behind it. */
const EACH_OPERATION = {
  file: 'test/contract/tenancy-matrix.test.ts',
  testNamePattern: /works as documented/,
};

/** Selects stores and engines without the API, the files of `ABOUT_THE_SERVER`, and one call of each operation. */
function selectOfDatabase(file: string): Selected[] {
  const imports = importClosure(file);
  if (!imports.has(TEST_DATABASE)) return [];
  if (file === EACH_OPERATION.file) return [EACH_OPERATION];
  const isListed = WHOLE_PRODUCT.some((path) => file.startsWith(path));
  const isAboutServer = file.startsWith('src/') && (!imports.has(APP) || ABOUT_THE_SERVER.test(file));
  return isListed || isAboutServer ? [{ file }] : [];
}

/** Selects the files of a tier. */
export function selectTier(tier: Tier): Selected[] {
  const { fast, full } = allTestFiles();
  if (tier === 'fast') return fast.map((file) => ({ file }));
  if (tier === 'full') return [...fast, ...full].map((file) => ({ file }));
  return [...fast, ...full].flatMap(selectOfDatabase);
}
