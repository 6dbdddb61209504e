/** What is made by a program and kept in the repository is current, and the document that clients read is sound. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { channelResults, configurationMarkdown, errorsMarkdown } from '../../scripts/docs.ts';
import { lintDocument } from '../../scripts/openapi-lint.ts';
import { printableDocument } from '../../scripts/openapi.ts';
import { channelsMarkdown } from '../conformance/suite/channels-page.ts';

const committed = (name: string) => readFile(join(import.meta.dirname, '../../docs', name), 'utf8');

test('docs/errors.md is current; else: npm run docs', async () => {
  expect(await committed('errors.md')).toBe(errorsMarkdown());
});

test('docs/configuration.md is current; else: npm run docs', async () => {
  expect(await committed('configuration.md')).toBe(configurationMarkdown());
});

test('docs/channels.md is current; else: npm run docs', async () => {
  expect(await committed('channels.md')).toBe(channelsMarkdown(await channelResults()));
});

test('the OpenAPI document has no fault by the linter', () => {
  const { ok, output } = lintDocument(printableDocument());
  expect(ok, output).toBe(true);
});

test('the linter sees a fault', () => {
  const document = printableDocument();
  const { ok, output } = lintDocument({ ...document, info: { title: 'No version' } });
  expect(ok).toBe(false);
  expect(output).toContain('version');
});
