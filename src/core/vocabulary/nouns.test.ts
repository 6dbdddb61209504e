import { expect, test } from 'vitest';
import { INSTANCE_PREFIX, MESSAGE_PREFIX } from '../../channels/contract/id-prefixes.ts';
import { newUuid } from '../../platform/http/ids.ts';
import { CATALOG } from './event-catalog.ts';
import { getIdKind, publicId } from './ids.ts';
import { ALL_NOUNS, ID_PREFIXES, type IdKind } from './nouns.ts';

test('each prefix names one noun', () => {
  const kinds = Object.keys(ID_PREFIXES) as IdKind[];
  for (const kind of kinds) expect(getIdKind(publicId(kind, newUuid()))).toBe(kind);
});

test('channels know the prefixes of the IDs that reach them', () => {
  expect([INSTANCE_PREFIX, MESSAGE_PREFIX]).toEqual([ID_PREFIXES.instance, ID_PREFIXES.message]);
});

test('a noun with events has a surface, and a scope that shows them', () => {
  const faulty = Object.entries(CATALOG).filter(([, { surface, scope }]) => !surface || !scope);
  expect(faulty).toEqual([]);
});

test('a noun with events has a page of the console, which webhooks to chats link to', () => {
  const faulty = ALL_NOUNS.filter(([, { events, page }]) => events && !page).map(([name]) => name);
  expect(faulty).toEqual([]);
});
