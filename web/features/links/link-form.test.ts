import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { localTime } from '../../design/time.ts';
import { expect, test } from 'vitest';
import { UpdateLink } from '../../../src/surfaces/links/records/link.schema.ts';
import type { Link } from '../../api/types.ts';
import {
  getExact,
  isFaulty,
  isFilled,
  type LinkForm,
  newRule,
  toBody,
  toChange,
  toLinkForm,
} from './link-form.ts';
import { newPair } from '../../patterns/form/metadata.ts';

const LINK = {
  url: 'https://example.com/a',
  domain: 'go.example.com',
  slug: 'a',
  tags: ['b', 'a'],
  title: 'A',
  description: null,
  image: null,
  expires_at: null,
  expired_url: null,
  max_clicks: 5,
  has_password: true,
  targeting: [{ when: { country: ['DE'] }, url: 'https://example.com/de' }],
  utm: { source: 'mail' },
  forward_query: false,
  redirect_status: 302,
  external_id: null,
  metadata: { team: 'web' },
} as unknown as Link;

test('a new link sends only what was filled in', () => {
  const form = { ...toLinkForm(null), url: ' https://example.com/a ' };
  expect(toBody(form)).toEqual({ url: 'https://example.com/a' });
  expect(
    toBody({
      ...form,
      max_clicks: '10',
      targeting: [newRule({ os: ['ios'], url: ' https://example.com/app ' })],
      metadata: [newPair(' team ', 'web'), newPair('', 'ignored')],
    }),
  ).toEqual({
    url: 'https://example.com/a',
    max_clicks: 10,
    targeting: [{ when: { os: ['ios'] }, url: 'https://example.com/app' }],
    metadata: { team: 'web' },
  });
});

test('an unchanged link has an empty PATCH body', () => {
  expect(toChange(toLinkForm(LINK), LINK)).toEqual({});
});

test('a PATCH body has the changed values, with null for emptied ones', () => {
  const form = { ...toLinkForm(LINK), title: '', max_clicks: '', tags: ['a', 'b', 'c'] };
  expect(toChange(form, LINK)).toEqual({ title: null, max_clicks: null, tags: ['a', 'b', 'c'] });
});

test('a password is replaced, removed or kept, and masked on screen', () => {
  const form = toLinkForm(LINK);
  expect(toChange({ ...form, password: { choice: 'none', text: '' } }, LINK)).toEqual({ password: null });
  const changed = { ...form, password: { choice: 'set' as const, text: 'secret' } };
  expect(toChange(changed, LINK)).toEqual({ password: 'secret' });
  expect(JSON.stringify(toChange(changed, LINK, true))).not.toContain('secret');
});

test('times survive the input field to the minute', () => {
  const at = '2026-03-01T12:30:00.000Z';
  expect(getExact(localTime(at))).toBe(at);
  expect(getExact('')).toBeNull();
  expect(getExact('nonsense')).toBeNull();
});

test('the form has every field that can be set, and sends it', () => {
  const form = toLinkForm(null);
  // Archiving is an action of its own.
  const settable = Object.keys(UpdateLink.properties).filter((name) => name !== 'archived');
  expect(Object.keys(form).toSorted()).toEqual(settable.toSorted());
  const filled: LinkForm = {
    ...form,
    ...Object.fromEntries(
      Object.entries(form).flatMap(([name, value]) => (value === '' ? [[name, 'x']] : [])),
    ),
    tags: ['x'],
    expires_at: '2026-01-15T09:30',
    max_clicks: '1',
    password: { choice: 'set', text: 'x' },
    targeting: [newRule({ os: ['ios'], url: 'x' })],
    utm: { ...form.utm, source: 'x' },
    forward_query: true,
    redirect_status: 301,
    metadata: [newPair('x', 'x')],
  };
  expect(Object.keys(toBody(filled)).toSorted()).toEqual(settable.toSorted());
});

test('every field has an input, which shows its error', () => {
  const sources = ['*.tsx', '../../patterns/form/MetadataField.tsx']
    .flatMap((files) => globSync(files, { cwd: import.meta.dirname }))
    // A form of its own.
    .filter((file) => file !== 'BulkDialog.tsx')
    .map((file) => readFileSync(join(import.meta.dirname, file), 'utf8'));
  const inputs = new Set(
    sources.flatMap((text) =>
      [...text.matchAll(/\bform\.(?:text|error|at)\('([a-z_]+)'/g)].map(([, name]) => name),
    ),
  );
  expect(Object.keys(toLinkForm(null)).filter((name) => !inputs.has(name))).toEqual([]);
});

test('a section is open if it is filled, and if a field is faulty', () => {
  expect(isFilled(toLinkForm(null), 'preview')).toBe(false);
  expect(isFilled(toLinkForm(LINK), 'preview')).toBe(true);
  expect(isFilled(toLinkForm(LINK), 'redirect')).toBe(false);
  expect(isFilled(toLinkForm(LINK), 'password')).toBe(true);
  const error = (name: string) => (name === 'image' ? 'must be a URL' : undefined);
  expect([isFaulty('preview', error), isFaulty('limits', error)]).toEqual([true, false]);
});
