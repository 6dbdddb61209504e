import { expect, test } from 'vitest';
import type { ApiKey } from '../../api/types.ts';
import { toBody, toChange, disablesCreated, emptyKeyForm, getExpiry, toKeyForm } from './key-form.ts';

const KEY = {
  id: 'key_1',
  name: 'Importer',
  preset: null,
  scopes: ['links:write', 'links:read'],
  expires_at: null,
  allowed_ips: [],
  allowed_origins: [],
  allowed_models: ['fairlead/echo'],
  rate_limit: { limit: 600, burst: 120 },
  disable_created_on_end: false,
  metadata: {},
} as unknown as ApiKey;

test('a new key sends its preset, and restrictions only if there are any', () => {
  const form = { ...emptyKeyForm(), name: ' Importer ', expires_at: { lifetime: null, date: '' } };
  expect(toBody(form)).toEqual({ name: 'Importer', preset: 'full', expires_at: null });
  expect(
    toBody({
      ...form,
      access: 'scopes',
      scopes: ['links:read'],
      allowed_ips: ['10.0.0.1'],
      rate_limit: { limited: false, limit: 600, burst: 120 },
    }),
  ).toEqual({
    name: 'Importer',
    scopes: ['links:read'],
    expires_at: null,
    allowed_ips: ['10.0.0.1'],
    rate_limit: null,
  });
});

test('an unchanged key has an empty PATCH body, whatever the order of its scopes', () => {
  expect(toChange(toKeyForm(KEY), KEY)).toEqual({});
});

test('a PATCH body has only what changed', () => {
  expect(toChange({ ...toKeyForm(KEY), name: 'Exporter' }, KEY)).toEqual({ name: 'Exporter' });
});

test('without chosen models a key may call all', () => {
  expect(toChange({ ...toKeyForm(KEY), allowed_models: null }, KEY)).toEqual({ allowed_models: null });
  expect(toBody({ ...emptyKeyForm(), allowed_models: ['a/b'] })).toMatchObject({ allowed_models: ['a/b'] });
});

test('the first restriction of a key turns on that its objects are disabled with it', () => {
  const restricted = { ...toKeyForm(KEY), allowed_ips: ['10.0.0.1'] };
  expect(disablesCreated(toKeyForm(KEY), KEY)).toBe(false);
  expect(disablesCreated(restricted, KEY)).toBe(true);
  expect(disablesCreated({ ...restricted, disable_created_on_end: false }, KEY)).toBe(false);
});

test('a chosen date counts until its end', () => {
  expect(getExpiry({ lifetime: null, date: '' })).toBeNull();
  expect(getExpiry({ lifetime: 'custom', date: '' })).toBeNull();
  const end = new Date(getExpiry({ lifetime: 'custom', date: '2026-03-01' })!);
  expect([end.getDate(), end.getHours(), end.getMinutes()]).toEqual([1, 23, 59]);
});
