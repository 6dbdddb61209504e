/** What came of a test run, file by file, what a second try makes of it, and how it is told. */

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
/** More files than these fail for a reason, not by bad luck. */
export const MOST_TRIED_AGAIN = 8;

const indented = (text: string, by: string): string =>
  text
    .split('\n')
    .map((line) => by + line)
    .join('\n');

const listed = ({ file, name, error }: Failure & { file: string }): string =>
  `  ${file} > ${name}\n${indented(error, '      ')}`;

/** The files to be run once more: those that failed, unless they are too many or nobody knows which. */
export function toTryAgain(results: readonly FileResult[]): string[] {
  const failed = results.filter((result) => result.failed.length > 0).map(({ file }) => file);
  return failed.length > MOST_TRIED_AGAIN || failed.includes(NO_FILE) ? [] : failed;
}

/**
 * Puts what files did at the second try in the place of what they did at the first.
 * @param second results of the files that were run again, all of their tests
 * @returns all results, and what failed at first and passed then. A test that failed at first and did not run again is
 *   still failed; so is one that passed at first alone.
 */
export function afterSecondTry(
  first: readonly FileResult[],
  second: readonly FileResult[],
): { results: FileResult[]; cured: (Failure & { file: string })[] } {
  const cured: (Failure & { file: string })[] = [];
  const tried = new Set(toTryAgain(first));
  const results = first.map((before) => {
    if (!tried.has(before.file)) return before;
    const again = second.find(({ file }) => file === before.file);
    if (!again) return before;
    const failed = [...again.failed];
    for (const failure of before.failed) {
      const passes = failure.name === OUTSIDE ? again.passed.length > 0 : again.passed.includes(failure.name);
      if (failed.some(({ name }) => name === failure.name)) continue;
      if (passes) cured.push({ file: before.file, ...failure });
      else failed.push(failure);
    }
    return { ...again, ms: before.ms, failed };
  });
  // What came up at the second try alone, as an error of no file.
  results.push(...second.filter(({ file }) => !tried.has(file)));
  return { results, cured };
}

export function count(results: readonly FileResult[]): Counts {
  const sum = (of: (result: FileResult) => number): number =>
    results.reduce((total, result) => total + of(result), 0);
  return {
    passed: sum(({ passed }) => passed.length),
    failed: sum(({ failed }) => failed.length),
    skipped: sum(({ skipped }) => skipped.filter(({ reason }) => !reason.startsWith(NOT_APPLICABLE)).length),
  };
}

/** Whether everything ran, or says for lack of what it did not. */
export const isSound = (results: readonly FileResult[]): boolean =>
  count(results).failed === 0 &&
  count(results).passed > 0 &&
  !results.some(({ skipped }) => skipped.some(({ reason }) => reason === NO_REASON));

/** The files that took longest, in whole seconds. */
export function slowest(results: readonly FileResult[], most: number): string {
  const lines = results
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, most)
    .map(({ file, ms }) => `${(ms / 1000).toFixed(0).padStart(5)} s  ${file}`);
  return `The slowest files:\n${lines.join('\n')}`;
}

/** What was skipped and why, what passed at the second try, what failed; then the line `N passed, N failed`. */
export function conclusion(
  results: readonly FileResult[],
  cured: readonly (Failure & { file: string })[],
): string {
  const parts: string[] = [];
  const skipped = results.flatMap((result) => result.skipped.map((one) => ({ ...one, file: result.file })));
  for (const [reason, tests] of Map.groupBy(skipped, (one) => one.reason))
    parts.push(
      `${reason.startsWith(NOT_APPLICABLE) ? '' : 'Skipped, '}${reason}:\n${tests.map(({ file, name }) => `  ${file} > ${name}`).join('\n')}`,
    );
  if (cured.length > 0) parts.push(`Passed only at the second try, alone:\n${cured.map(listed).join('\n')}`);
  const failed = results.flatMap((result) => result.failed.map((one) => ({ ...one, file: result.file })));
  if (failed.length > 0) parts.push(`Failed:\n${failed.map(listed).join('\n')}`);
  const counts = count(results);
  const more = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
  return [...parts, `${counts.passed} passed, ${counts.failed} failed${more}`].join('\n');
}
