/**
 * Adds a text to links as CONTRIBUTING.md says, in a copy of the sources: how many files a developer edits, that it then works,
 * and that a check or test names every edit that is forgotten.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CopyOfProduct, copyOfProduct } from '../support/new-surface/copy-of-product.ts';
import { LINK_FIELD_EDITS } from '../support/new-surface/link-field-edits.ts';
import {
  checkAllTypes,
  generateTypes,
  listFiles,
  listOmissions,
  runCheck,
} from '../support/new-surface/omission.ts';

const FILES = join(import.meta.dirname, '../support/new-surface/remark');
const PASSED = { passed: true };

let copy: CopyOfProduct;
let added: string[];
beforeAll(async () => {
  copy = await copyOfProduct();
  added = await copy.add(FILES);
  await copy.apply(LINK_FIELD_EDITS);
  await generateTypes(copy);
});
afterAll(() => copy[Symbol.asyncDispose]());

test('a field of links is a migration, and edits of five files', () => {
  expect(listFiles(LINK_FIELD_EDITS)).toEqual([
    'src/surfaces/links/records/link-fields.schema.ts',
    'src/surfaces/links/records/link.store.ts',
    'web/features/links/link-form.ts',
    'web/features/links/MoreFields.tsx',
    'web/features/links/LinkDetails.tsx',
  ]);
  expect(added.filter((file) => !file.endsWith('.test.ts'))).toEqual([
    'src/platform/db/migrations/9000_link_remark.sql',
  ]);
});

test('it has sound types', async () => {
  expect(await checkAllTypes(copy)).toMatchObject(PASSED);
});

test('it is stored, shown, listed, changed, exported and imported, and the form of the console has it', async () => {
  const { passed, output } = await copy.vitest(
    'link-remark',
    'web/features/links',
    'links/operations/link.test',
  );
  expect({ passed, output }).toMatchObject(PASSED);
  expect(output).toMatch(/✓.*link-remark\.test\.ts.*3 tests/);
});

test.each(listOmissions(LINK_FIELD_EDITS))(
  'without $what fails $caughtBy',
  async ({ file, text, caughtBy, says }) => {
    const { passed, output } = await copy.without(file, text, () => runCheck(copy, caughtBy));
    expect({ passed, output }).toEqual({ passed: false, output: expect.stringMatching(says) });
  },
);
