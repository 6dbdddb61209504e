/**
 * Adds a surface as CONTRIBUTING.md says, in a copy of the sources: how many files outside its folders a developer edits, that
 * it then works, and that a check or test names every edit that is forgotten.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CopyOfProduct, copyOfProduct } from '../support/new-surface/copy-of-product.ts';
import {
  checkAllTypes,
  generateTypes,
  listFiles,
  listOmissions,
  runCheck,
  runContract,
} from '../support/new-surface/omission.ts';
import { CONSOLE_EDITS, SERVER_EDITS, TEST_EDITS } from '../support/new-surface/surface-edits.ts';

const EDITS = [...SERVER_EDITS, ...CONSOLE_EDITS, ...TEST_EDITS];
const FILES = join(import.meta.dirname, '../support/new-surface/notes');

let copy: CopyOfProduct;
let added: string[];
beforeAll(async () => {
  copy = await copyOfProduct();
  added = await copy.add(FILES);
  await copy.apply(EDITS);
  await generateTypes(copy);
});
afterAll(() => copy[Symbol.asyncDispose]());

const PASSED = { passed: true };

describe('a surface with a noun, its events, a counter and a job', () => {
  test('is its own files and edits of four, and of three in the console', () => {
    expect(listFiles(SERVER_EDITS)).toEqual([
      'src/core/vocabulary/nouns.ts',
      'src/core/vocabulary/scopes.ts',
      'src/core/api/tags.ts',
      'src/app/surfaces.ts',
    ]);
    expect(listFiles(CONSOLE_EDITS)).toEqual(['web/app/nav.ts', 'web/app/router.tsx', 'web/api/nouns.ts']);
    const OWN =
      /^(src\/surfaces\/notes\/|src\/platform\/db\/migrations\/\d+_notes\.sql$|web\/features\/notes\/|web\/api\/notes\.ts$)/;
    expect(added.filter((file) => !OWN.test(file))).toEqual([]);
  });

  test('has a documented table', async () => {
    expect(await copy.read('docs/schema.md')).toContain(
      '## Notes\n\nUsed by `src/surfaces/notes`.\n\n### notes\n',
    );
  });

  test('has sound types, imports and descriptions', async () => {
    expect(await checkAllTypes(copy)).toMatchObject(PASSED);
    expect(await copy.node('scripts/layers.ts')).toMatchObject(PASSED);
    expect(await copy.node('scripts/openapi-lint.ts')).toMatchObject(PASSED);
  });

  test('works through HTTP, and the tests of what surfaces declare pass', async () => {
    const checks = [
      'src/surfaces/notes',
      'src/app/surfaces',
      'src/core/vocabulary',
      'web/api/nouns',
      'web/app/nav',
    ];
    const { passed, output } = await copy.vitest(...checks);
    expect({ passed, output }).toMatchObject(PASSED);
    expect(output).toMatch(/✓.* src\/surfaces\/notes\/note\.test\.ts .*5 tests/);
  });

  // Who may call it, its lists, writes, versions and events: what every operation promises.
  test('keeps the promises of every operation', async () => {
    const files = ['tenancy-matrix', 'protocol', 'lists', 'writes', 'changes', 'operation-events'];
    const { passed, output } = await runContract(
      copy,
      files.map((file) => `test/contract/${file}.test.ts`),
    );
    expect({ passed, output }).toMatchObject(PASSED);
    for (const file of files) expect(output).toMatch(new RegExp(`✓.* test/contract/${file}\\.test\\.ts`));
  });

  test.each(listOmissions(EDITS))('without $what fails $caughtBy', async ({ file, text, caughtBy, says }) => {
    const { passed, output } = await copy.without(file, text, () => runCheck(copy, caughtBy));
    expect({ passed, output }).toEqual({ passed: false, output: expect.stringMatching(says) });
  });
});
