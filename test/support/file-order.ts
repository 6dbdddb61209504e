/**
 * The order of test files: the longest begin first, so that none of them is left over at the end for one worker alone.
 * A clean clone knows of no earlier run, and vitest would go by the size of files.
 */
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { ROOT } from './product.ts';

/** Those that take more than a minute and a half; those with a browser apart from each other. */
const LONGEST = [
  'test/browser/reference.test.ts',
  'test/contract/tenancy-matrix.test.ts',
  'test/browser/console.test.ts',
  'test/contract/changes.test.ts',
  'test/browser/links.test.ts',
  'test/contract/fuzz.test.ts',
  'test/browser/groups.test.ts',
  'test/operations/proxies.test.ts',
  'test/browser/webhooks.test.ts',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const gone = LONGEST.find((file) => !existsSync(join(ROOT, file)));
    if (gone) throw new Error(`test/support/longest-first.ts names ${gone}, which is not there`);
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = LONGEST.indexOf(relative(ROOT, moduleId));
      return place < 0 ? LONGEST.length : place;
    };
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}
