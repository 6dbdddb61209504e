/** Listens to a test run and keeps what came of each file. */
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import './needs.ts';
import { type Failure, type FileResult, NO_FILE, NO_REASON, OUTSIDE } from './tally.ts';

const LINES_OF_MESSAGE = 4;
const LINES_OF_DIFF = 12;

/** What vitest hands over for an error, wherever it happened. */
interface Told {
  message: string;
  diff?: unknown;
  stacks?: { file: string; line: number }[];
  VITEST_TEST_PATH?: unknown;
}

const head = (text: string, lines: number): string =>
  stripVTControlCharacters(text).trim().split('\n').slice(0, lines).join('\n');

function firstLines({ message, diff, stacks }: Told): string {
  const at = stacks?.[0];
  return [
    head(message, LINES_OF_MESSAGE),
    ...(typeof diff === 'string' ? [head(diff, LINES_OF_DIFF)] : []),
    ...(at ? [`at ${relative(process.cwd(), at.file)}:${at.line}`] : []),
  ].join('\n');
}

/** What a skipped test was missing: its own, or that of a suite around it. */
function missing(test: TestCase): string {
  const result = test.result();
  if (result.state === 'skipped' && result.note) return result.note;
  if (test.meta().needs) return `needs ${test.meta().needs}`;
  for (let at: TestCase['parent'] = test.parent; at.type === 'suite'; at = at.parent)
    if (at.meta().needs && at.options.mode === 'skip') return `needs ${at.meta().needs}`;
  return NO_REASON;
}

const outside = (error: Told): Failure => ({ name: OUTSIDE, error: firstLines(error) });

/** The tests of a file that a run selects: all of them, or those with a name. */
export interface NameFilter {
  testNamePattern?: RegExp;
  testNames?: readonly string[];
}

/** Tells whether a run selects a test. vitest reports the other tests of the file as skipped. */
function isSelected(test: TestCase, { testNamePattern, testNames }: NameFilter): boolean {
  if (testNames) return testNames.includes(test.fullName);
  return !testNamePattern || testNamePattern.test(test.fullName);
}

function getResult(module: TestModule, filter: NameFilter): FileResult {
  const failed = module.errors().map(outside);
  const result: FileResult = {
    file: module.relativeModuleId,
    ms: module.diagnostic().duration,
    passed: [],
    failed,
    skipped: [],
  };
  for (const suite of module.children.allSuites()) failed.push(...suite.errors().map(outside));
  for (const test of module.children.allTests()) {
    if (!isSelected(test, filter)) continue;
    const { state, errors } = test.result();
    const name = test.fullName;
    if (state === 'passed') result.passed.push(name);
    else if (state === 'skipped') result.skipped.push({ name, reason: missing(test) });
    else
      failed.push({
        name,
        error: errors?.map(firstLines).join('\n') ?? 'It had not ended when the run did.',
      });
  }
  return result;
}

export class Outcome implements Reporter {
  results: FileResult[] = [];
  readonly #getFilter: (file: string) => NameFilter;

  constructor(getFilter: (file: string) => NameFilter) {
    this.#getFilter = getFilter;
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly Told[]): void {
    this.results = modules.map((module) => getResult(module, this.#getFilter(module.relativeModuleId)));
    // A rejection that nobody awaited, a worker that died: it counts where it belongs, as far as that is known.
    for (const error of errors) {
      const module = modules.find(({ moduleId }) => moduleId === error.VITEST_TEST_PATH);
      const file = module?.relativeModuleId ?? NO_FILE;
      let result = this.results.find((one) => one.file === file);
      if (!result) this.results.push((result = { file, ms: 0, passed: [], failed: [], skipped: [] }));
      result.failed.push(outside(error));
    }
  }
}
