/** The results of a test run by file: how a second try changes them, and how they are reported. */

export interface Failure {
  /** Of the test; of what surrounds all tests (an import, a hook, a rejection nobody awaited) `OUTSIDE`. */
  name: string;
  /** The first lines of its error. */
  error: string;
}

export interface FileResult {
  /** Relative to the project; of an error that belongs to no file, `NO_FILE`. */
  file: string;
  ms: number;
  passed: string[];
  failed: Failure[];
  skipped: { name: string; reason: string }[];
}

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

export const OUTSIDE = '(outside its tests)';
export const NO_FILE = '(no file)';
export const NO_REASON = 'no reason given';
/**
 * How a reason begins where nothing is missing: the test is of something that the thing tested does not have, as a
 * capability that a channel does not claim. Told, and not counted as skipped.
 */
const NOT_APPLICABLE = 'not applicable: ';
/** More failing files than these point to a fault, not to chance. */
export const MAX_TRIED_AGAIN = 8;

const indented = (text: string, by: string): string =>
  text
    .split('\n')
    .map((line) => by + line)
    .join('\n');

const listed = ({ file, name, error }: Failure & { file: string }): string =>
  `  ${file} > ${name}\n${indented(error, '      ')}`;

/** What to run once more of a file: the tests that failed, or all of it where the failure belongs to no test. */
export interface SecondTry {
  file: string;
  testNames?: string[];
}

/** How the error of a hook begins that took longer than `hookTimeout`. */
const HUNG_HOOK = /\bHook timed out in \d+ms/;

/**
 * Returns the tests to run once more: those that failed, unless too many files failed or a failure has no file. A file
 * whose hook hung is left out: it would only hold up the run again.
 */
export function toTryAgain(results: readonly FileResult[]): SecondTry[] {
  const failing = results.filter((result) => result.failed.length > 0);
  if (failing.length > MAX_TRIED_AGAIN || failing.some(({ file }) => file === NO_FILE)) return [];
  const answering = failing.filter(({ failed }) => !failed.some(({ error }) => HUNG_HOOK.test(error)));
  return answering.map(({ file, failed }) =>
    failed.some(({ name }) => name === OUTSIDE)
      ? { file }
      : { file, testNames: failed.map(({ name }) => name) },
  );
}

export type Cured = Failure & { file: string };

/**
 * Merges the second try into the results. Only what failed at first is judged by it: a test that passed at first has
 * passed, and a test that failed and did not run again has failed.
 * @returns all results, and the failures that the second try cured
 */
export function afterSecondTry(
  first: readonly FileResult[],
  second: readonly FileResult[],
): { results: FileResult[]; cured: Cured[] } {
  const cured: Cured[] = [];
  const tried = new Set(toTryAgain(first).map(({ file }) => file));
  const results = first.map((before) => {
    const again = second.find(({ file }) => file === before.file);
    if (!tried.has(before.file) || !again) return before;
    const isBroken = again.failed.some(({ name }) => name === OUTSIDE);
    const passes = ({ name }: Failure): boolean =>
      !isBroken && (name === OUTSIDE ? again.passed.length > 0 : again.passed.includes(name));
    const failed: Failure[] = [];
    for (const failure of before.failed)
      if (passes(failure)) cured.push({ file: before.file, ...failure });
      else failed.push(failure);
    // A file that broke outside its tests ran none, or not all of them: its second try is the whole file.
    if (!before.failed.some(({ name }) => name === OUTSIDE)) {
      const now = before.failed.filter((failure) => !failed.includes(failure)).map(({ name }) => name);
      return { ...before, passed: [...before.passed, ...now], failed };
    }
    return {
      ...again,
      ms: before.ms,
      failed: [...failed, ...again.failed.filter(({ name }) => name !== OUTSIDE)],
    };
  });
  return { results, cured };
}

const isSkip = ({ reason }: { reason: string }): boolean => !reason.startsWith(NOT_APPLICABLE);

export function count(results: readonly FileResult[]): Counts {
  const sum = (of: (result: FileResult) => number): number =>
    results.reduce((total, result) => total + of(result), 0);
  return {
    passed: sum(({ passed }) => passed.length),
    failed: sum(({ failed }) => failed.length),
    skipped: sum(({ skipped }) => skipped.filter(isSkip).length),
  };
}

/** Whether everything ran, or says for lack of what it did not. */
export const isSound = (results: readonly FileResult[]): boolean =>
  count(results).failed === 0 &&
  count(results).passed > 0 &&
  !results.some(({ skipped }) => skipped.some(({ reason }) => reason === NO_REASON));

/** The files that took longest, in whole seconds, beside what was recorded for them. */
export function slowest(
  results: readonly FileResult[],
  recorded: Readonly<Record<string, number>>,
  max: number,
): string {
  const lines = results
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, max)
    .map(({ file, ms }) => `${(ms / 1000).toFixed(0).padStart(5)} s (${recorded[file] ?? '–'})  ${file}`);
  return `The slowest files (recorded before):\n${lines.join('\n')}`;
}

/** Fails a run for each file that it should have run and did not. */
export const withMissing = (results: readonly FileResult[], files: readonly string[]): FileResult[] => [
  ...results,
  ...files
    .filter((file) => !results.some((result) => result.file === file))
    .map((file) => ({
      file,
      ms: 0,
      passed: [],
      failed: [{ name: OUTSIDE, error: 'The file did not run.' }],
      skipped: [],
    })),
];

const firstLine = (text: string): string => text.trim().split('\n')[0] ?? '';

/** A run in short, for the end of `.ci/run`. */
export interface RunSummary extends Counts {
  files: number;
  seconds: number;
  /** A line each: the test and the first line of its error. */
  failures: string[];
  flaky: string[];
  /** A line for each reason. */
  skips: string[];
  /** The slowest files, a line each. */
  slowest: string[];
}

export function summarizeRun(
  results: readonly FileResult[],
  cured: readonly Cured[],
  recorded: Readonly<Record<string, number>>,
  seconds: number,
): RunSummary {
  const toLine = ({ file, name, error }: Cured): string => `${file} > ${name}: ${firstLine(error)}`;
  const reasons = results.flatMap(({ skipped }) => skipped.filter(isSkip).map(({ reason }) => reason));
  return {
    ...count(results),
    files: results.length,
    seconds,
    failures: results.flatMap(({ file, failed }) => failed.map((one) => toLine({ file, ...one }))),
    flaky: cured.map(toLine),
    skips: [...Map.groupBy(reasons, (reason) => reason)].map(
      ([reason, some]) => `${some.length} tests, ${reason}`,
    ),
    slowest: slowest(results, recorded, 8).split('\n').slice(1),
  };
}

/** What was skipped and why, what passed at the second try only, what failed; then the line `N passed, N failed`. */
export function conclusion(results: readonly FileResult[], cured: readonly Cured[]): string {
  const parts: string[] = [];
  const skipped = results.flatMap((result) => result.skipped.map((one) => ({ ...one, file: result.file })));
  for (const [reason, tests] of Map.groupBy(skipped, (one) => one.reason))
    parts.push(
      reason.startsWith(NOT_APPLICABLE)
        ? `${tests.length} tests ${reason}`
        : `Skipped, ${reason}:\n${tests.map(({ file, name }) => `  ${file} > ${name}`).join('\n')}`,
    );
  if (cured.length > 0)
    parts.push(`Flaky: passed only at the second try, alone:\n${cured.map(listed).join('\n')}`);
  const failed = results.flatMap((result) => result.failed.map((one) => ({ ...one, file: result.file })));
  if (failed.length > 0) parts.push(`Failed:\n${failed.map(listed).join('\n')}`);
  const counts = count(results);
  const more = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
  return [...parts, `${counts.passed} passed, ${counts.failed} failed${more}`].join('\n');
}
