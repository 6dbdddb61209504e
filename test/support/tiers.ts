/**
 * Assigns every test file to a tier by its folder, and selects the files of a run.
 *
 * - fast: unit tests beside the code. What `npm test` runs.
 * - full: everything under test/. What `npm run test:full` runs; tests in `CONDITIONAL` folders run only when the code
 *   that they exercise changed.
 * - database: the tests from both tiers whose result depends on the PostgreSQL version.
 * - nightly: every file.
 */
import { globSync } from 'node:fs';
import { affectedBy, ALWAYS, CONDITIONAL } from './affected.ts';
import { recordedDurations } from './file-order.ts';
import { ROOT } from './product.ts';
import { importClosure } from './test-imports.ts';

export const TIERS = ['fast', 'full', 'database', 'nightly'] as const;
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

export interface Selection {
  selected: Selected[];
  /** Files that the tier contains or could contain, but this run leaves out, by reason. */
  leftOut: Map<string, string[]>;
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

/** Stores and engines without the API, and the files of `ABOUT_THE_SERVER`. */
const isAboutTheServer = (file: string, imports: ReadonlySet<string>): boolean =>
  !imports.has(APP) || ABOUT_THE_SERVER.test(file);

const usesServer = (imports: ReadonlySet<string>): boolean => imports.has(TEST_DATABASE);

function databaseSelection(files: readonly string[]): Selection {
  const selected: Selected[] = [];
  const leftOut: string[] = [];
  for (const file of files) {
    const imports = importClosure(file);
    if (!usesServer(imports)) continue;
    const isListed = WHOLE_PRODUCT.some((path) => file.startsWith(path));
    if (file === EACH_OPERATION.file) selected.push(EACH_OPERATION);
    else if (isListed || (file.startsWith('src/') && isAboutTheServer(file, imports)))
      selected.push({ file });
    else leftOut.push(file);
  }
  return {
    selected,
    leftOut: new Map([['they call the whole product; each operation is called once instead', leftOut]]),
  };
}

/**
 * What the conditional tests of a run may take together, in recorded seconds. A change of everything (a merge of
 * months, the lock file) would otherwise run them all.
 */
const CONDITIONAL_SECONDS = 90;
/** Of a file whose duration was never recorded. */
const UNRECORDED_SECONDS = 30;

/** Takes the shortest files until the time is used up, so that as many as possible run. */
function withinBudget(files: readonly string[], seconds: number): string[] {
  const durations = recordedDurations();
  const toSeconds = (file: string): number => durations[file] ?? UNRECORDED_SECONDS;
  let left = seconds;
  return files
    .toSorted((one, other) => toSeconds(one) - toSeconds(other))
    .filter((file) => (left -= toSeconds(file)) >= 0);
}

/**
 * Selects the files of a tier.
 * @param changed paths that changed since the last accepted state, or the reason why they can't be determined
 */
export function selectTier(tier: Tier, changed: ReadonlySet<string> | string): Selection {
  const { fast, full } = allTestFiles();
  const every = (files: string[]): Selected[] => files.map((file) => ({ file }));
  if (tier === 'fast') return { selected: every(fast), leftOut: new Map() };
  if (tier === 'nightly') return { selected: every([...fast, ...full]), leftOut: new Map() };
  if (tier === 'database') return databaseSelection([...fast, ...full]);
  const [conditional, always] = [
    full.filter((file) => CONDITIONAL.test(file) && !ALWAYS.includes(file)),
    full.filter((file) => !CONDITIONAL.test(file) || ALWAYS.includes(file)),
  ];
  if (typeof changed === 'string')
    return {
      selected: every(always),
      leftOut: new Map([[`it is unknown what changed (${changed})`, conditional]]),
    };
  const affected = conditional.filter((file) => affectedBy(file, changed));
  const runs = withinBudget(affected, CONDITIONAL_SECONDS);
  return {
    selected: every([...always, ...runs]),
    leftOut: new Map([
      ['nothing that they exercise changed', conditional.filter((file) => !affected.includes(file))],
      [
        `together with the others that the change affects they take over ${CONDITIONAL_SECONDS} s`,
        affected.filter((file) => !runs.includes(file)),
      ],
    ]),
  };
}

/** Lists the files to which the PostgreSQL version makes no difference, by reason. */
export function blindToDatabase(): Map<string, string[]> {
  const { fast, full } = allTestFiles();
  const files = [...fast, ...full];
  const browser = files.filter((file) => file.startsWith('test/browser/'));
  const others = files.filter((file) => !browser.includes(file) && !usesServer(importClosure(file)));
  return new Map([
    ['they test pages in a browser', browser],
    ['they use no database, or start their own', others],
  ]);
}
