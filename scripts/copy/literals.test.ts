import { expect, test } from 'vitest';
import { collectTexts, findLiterals } from './literals.ts';

const found = (source: string) => findLiterals('x.tsx', source).map(({ text }) => text);

test('finds words in elements, attributes, choices, properties and rows', () => {
  expect(found('const a = <p>Delete link</p>;')).toEqual(['Delete link']);
  expect(found('const a = <p title="Delete link" id="delete-link" />;')).toEqual(['Delete link']);
  expect(found("const a = <p>{isNew ? 'Create' : t('Save')}</p>;")).toEqual(['Create']);
  expect(found("const a = { label: 'Created', value: 'Created' };")).toEqual(['Created']);
  expect(found('const a = <p aria-label={`Actions for ${name}`} />;')).toEqual(['Actions for ${name}']);
  expect(found("const a = <List rows={[['Created', at], [t('Key'), key]]} />;")).toEqual(['Created']);
});

test('finds words in the values of a text, as what an action is of, and as defaults', () => {
  expect(found("t('Delete {name}?', { name: name || 'the key' });")).toEqual(['the key']);
  expect(found("plural(n, { one: 'A key', other: 'B' }, { by: isOwn ? 'This browser' : name });")).toEqual([
    'This browser',
  ]);
  expect(found('const a = <Actions of="the link" />;')).toEqual(['the link']);
  expect(found("const f = ({ label = 'Export' }) => label;")).toEqual(['Export']);
  expect(found("function f(label = 'Export', kind = 'Export') {}")).toEqual(['Export']);
});

test('leaves identifiers, addresses and texts of the catalog', () => {
  expect(found("const a = <p title={t('Delete link')}>{t('Delete {name}', { name })}</p>;")).toEqual([]);
  expect(found('const a = <p label="messages:read">https://example.com/x</p>;')).toEqual([]);
});

test('collects the texts of every call', () => {
  expect(
    collectTexts(
      'x.tsx',
      "t('A'); plural(n, { one: 'B', other: 'C' }); rich('D <a>e</a>', {}); t(x ? 'F' : 'G');",
    ),
  ).toEqual(['A', 'B', 'C', 'D <a>e</a>', 'F', 'G']);
});
