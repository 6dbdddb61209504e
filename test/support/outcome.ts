/** Counts a test run, and says what was skipped for lack of what. */
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import '../../src/testing/needs.ts';

const NO_REASON = 'no reason given';

/** What a skipped test was missing: its own, or that of a suite around it. */
function missing(test: TestCase): string {
  const result = test.result();
  if (result.state === 'skipped' && result.note) return result.note;
  if (test.meta().needs) return `needs ${test.meta().needs}`;
  for (let at: TestCase['parent'] = test.parent; at.type === 'suite'; at = at.parent)
    if (at.meta().needs && at.options.mode === 'skip') return `needs ${at.meta().needs}`;
  return NO_REASON;
}

export class Outcome implements Reporter {
  passed = 0;
  failed = 0;
  /** Reason → names of the tests that were skipped for it. */
  readonly skipped = new Map<string, string[]>();

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    // What failed outside any test (an import, a hook of a file, a rejection nobody awaited) counts as one each.
    this.failed += errors.length;
    for (const module of modules) {
      this.failed += module.errors().length;
      for (const suite of module.children.allSuites()) this.failed += suite.errors().length;
      for (const test of module.children.allTests()) this.#count(test, module);
    }
  }

  #count(test: TestCase, module: TestModule): void {
    const { state } = test.result();
    if (state === 'passed') this.passed += 1;
    else if (state === 'skipped') {
      const reason = missing(test);
      const names = this.skipped.get(reason) ?? [];
      this.skipped.set(reason, [...names, `${module.relativeModuleId} > ${test.fullName}`]);
    } else this.failed += 1; // failed, or still pending when the run ended
  }

  get skippedCount(): number {
    return [...this.skipped.values()].reduce((sum, names) => sum + names.length, 0);
  }

  /** Whether a skip has no reason: then nobody knows what was not tested. */
  get skippedSilently(): boolean {
    return this.skipped.has(NO_REASON);
  }

  /** What was skipped and why, then the line `N passed, N failed`, with `, N skipped` where it is so. */
  summary(): string {
    const reasons = [...this.skipped].map(
      ([reason, names]) => `Skipped, ${reason}:\n${names.map((name) => `  ${name}`).join('\n')}`,
    );
    const skipped = this.skippedCount ? `, ${this.skippedCount} skipped` : '';
    return [...reasons, `${this.passed} passed, ${this.failed} failed${skipped}`].join('\n');
  }
}
