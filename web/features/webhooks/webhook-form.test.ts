import { newHeaderRow } from './header-rows.ts';
import { expect, test } from 'vitest';
import type { Webhook } from '../../api/types.ts';
import {
  changesOrigin,
  emptyWebhookForm,
  toCreateBody,
  toUpdateBody,
  toWebhookForm,
} from './webhook-form.ts';
import { MASK } from '../../patterns/form/mask.ts';

const WEBHOOK = {
  url: 'https://example.com/hook',
  events: ['link.*'],
  description: null,
  kind: 'custom',
  templates: {},
  filters: {},
  headers: { 'X-Key': '…' },
  rate_limit: null,
  concurrency: 32,
  ordering: 'none',
} as unknown as Webhook;

test('leaves defaults out of a new webhook', () => {
  expect(toCreateBody({ ...emptyWebhookForm(), url: ' https://example.com ', events: ['*'] })).toEqual({
    url: 'https://example.com',
    events: ['*'],
  });
});

test('a body to show has no secrets', () => {
  const headers = [newHeaderRow({ name: 'X-Key', value: 'a secret' })];
  const form = {
    ...emptyWebhookForm(),
    url: 'https://example.com',
    events: ['*'],
    headers,
    secret: 'whsec_a',
  };
  const shown = { headers: { 'X-Key': MASK } };
  expect(toCreateBody(form, true)).toMatchObject({ ...shown, secret: MASK });
  expect(toUpdateBody({ ...toWebhookForm(WEBHOOK), headers }, WEBHOOK, true)).toEqual(shown);
});

test('an unchanged form changes nothing', () => {
  expect(toUpdateBody(toWebhookForm(WEBHOOK), WEBHOOK)).toEqual({});
});

test('keeps the value of a header unless another is entered', () => {
  const form = toWebhookForm(WEBHOOK);
  const added = { ...form, headers: [...form.headers, newHeaderRow({ name: 'X-New', value: 'a' })] };
  expect(toUpdateBody(added, WEBHOOK)).toEqual({ headers: { 'X-Key': null, 'X-New': 'a' } });
});

test('sees a change of origin', () => {
  expect(changesOrigin('https://example.com/other', WEBHOOK)).toBe(false);
  expect(changesOrigin('https://example.org/hook', WEBHOOK)).toBe(true);
  expect(changesOrigin('https://', WEBHOOK)).toBe(false);
});
