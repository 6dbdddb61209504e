import { expect, test } from 'vitest';
import type { ModelProvider, ModelProviderKind } from '../../api/types.ts';
import { newHeaderRow } from '../webhooks/header-rows.ts';
import {
  getAllowLine,
  toBody,
  toChange,
  changesOrigin,
  emptyProviderForm,
  newModelRow,
  newPriceRow,
  toPrice,
  toProviderForm,
} from './provider-form.ts';

const KIND = { id: 'openai', default_base_url: 'https://api.openai.com/v1' } as unknown as ModelProviderKind;
const PROVIDER = {
  name: 'OpenAI',
  slug: 'openai',
  base_url: 'https://api.openai.com/v1',
  has_api_key: true,
  headers: { 'OpenAI-Project': null },
  models: [{ id: 'gpt-5', alias: 'fast' }],
  prices: { 'gpt-5': { input: 1.25, output: 10, cached_input: null } },
  timeout_seconds: 600,
  max_concurrency: null,
  metadata: { team: 'bot' },
} as unknown as ModelProvider;

test('a new provider sends what was filled in', () => {
  const form = emptyProviderForm(KIND);
  expect(toBody(KIND, { ...form, api_key: ' sk-1 ' })).toEqual({
    kind: 'openai',
    base_url: 'https://api.openai.com/v1',
    api_key: 'sk-1',
  });
  expect(
    toBody(KIND, {
      ...form,
      models: [newModelRow({ id: 'gpt-5' }), newModelRow()],
      prices: [newPriceRow({ model: 'gpt-5', input: '1', output: '2' })],
      max_concurrency: '4',
    }),
  ).toMatchObject({
    models: [{ id: 'gpt-5', alias: null }],
    prices: { 'gpt-5': { input: 1, output: 2, cached_input: null } },
    max_concurrency: 4,
  });
});

test('secrets are masked where they are shown', () => {
  const headers = [newHeaderRow({ name: 'X-Key', value: 'secret' })];
  const shown = JSON.stringify(
    toBody(KIND, { ...emptyProviderForm(KIND), api_key: 'secret', headers }, true),
  );
  expect(shown).not.toContain('secret');
  expect(shown).toContain('X-Key');
});

test('an unchanged provider has an empty PATCH body', () => {
  expect(toChange(toProviderForm(PROVIDER), PROVIDER)).toEqual({});
});

test('a blank price is not sent as 0', () => {
  const texts = { input: ' ', output: '', cached_input: '', cache_write: '', cache_write_1h: '' };
  const price = toPrice({ ...texts, request: '', search: '' });
  expect(Object.values(price)).toEqual([null, null, null, null, null, null, null]);
});

test('a blank key keeps the stored one, and a new one replaces it', () => {
  const form = toProviderForm(PROVIDER);
  expect(toChange({ ...form, api_key: 'sk-2' }, PROVIDER)).toEqual({ api_key: 'sk-2' });
  expect(toChange({ ...form, removes_key: true }, PROVIDER)).toEqual({ api_key: null });
  expect(toChange({ ...form, models: null }, PROVIDER)).toEqual({ models: null });
});

test('secrets are asked for again if the origin changes', () => {
  expect(changesOrigin('https://api.openai.com/v2', PROVIDER)).toBe(false);
  expect(changesOrigin('https://api.openai.com:8443/v1', PROVIDER)).toBe(true);
  expect(changesOrigin('not a URL', PROVIDER)).toBe(false);
});

test('finds the setting that a refusal names', () => {
  expect(getAllowLine('The operator of this server can allow it: EGRESS_ALLOW=localhost:11434.')).toBe(
    'EGRESS_ALLOW=localhost:11434',
  );
  expect(getAllowLine('is not a URL')).toBeNull();
});
