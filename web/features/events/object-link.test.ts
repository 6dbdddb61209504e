import { expect, test } from 'vitest';
import { objectLink } from '../../api/nouns.ts';
import type { EventObject } from '../../api/types.ts';
import { eventObjectLink } from './object-link.ts';

const event = (type: string, object: unknown) => ({ type, data: { object } }) as unknown as EventObject;

test('an object leads to its page, or to its sheet', () => {
  expect(objectLink('acme', 'lnk_1')).toEqual({
    to: '/w/$workspace/links/$id',
    params: { workspace: 'acme', id: 'lnk_1' },
  });
  expect(objectLink('acme', 'key_1')).toEqual({
    to: '/w/$workspace/api-keys',
    search: { id: 'key_1' },
    params: { workspace: 'acme' },
  });
  expect(objectLink('acme', 'prv_1')).toMatchObject({ to: '/w/$workspace/model-providers/$id' });
  expect(objectLink('acme', 'bud_1')).toMatchObject({ to: '/w/$workspace/budgets', search: { id: 'bud_1' } });
});

test('a record of a log leads to its sheet', () => {
  expect(objectLink('acme', 'med_1')).toMatchObject({ to: '/w/$workspace/media', search: { id: 'med_1' } });
  expect(objectLink('acme', 'run_1')).toMatchObject({
    to: '/w/$workspace/rules',
    search: { tab: 'runs', run: 'run_1' },
  });
  for (const id of ['msg_1', 'dlv_1'])
    expect(objectLink('acme', id)).toEqual({
      to: '/w/$workspace/open/$id',
      params: { workspace: 'acme', id },
    });
  const clicked = {
    type: 'link.clicked',
    data: { object: { id: 'lnk_1' }, click: { id: 'clk_1', link_id: 'lnk_1' } },
  } as unknown as EventObject;
  expect(eventObjectLink('acme', clicked)).toEqual({
    to: '/w/$workspace/links/$id',
    params: { workspace: 'acme', id: 'lnk_1' },
    search: { tab: 'clicks', click: 'clk_1' },
  });
});

test('an object without a page has no link', () => {
  expect(objectLink('acme', 'job_1')).toBeNull();
  expect(objectLink('acme', 'odd')).toBeNull();
  expect(objectLink('acme', 'constructor_1')).toBeNull();
});

test('an event leads to its object unless that is deleted', () => {
  expect(eventObjectLink('acme', event('link.created', { id: 'lnk_1' }))).not.toBeNull();
  expect(eventObjectLink('acme', event('link.deleted', { id: 'lnk_1' }))).toBeNull();
  expect(eventObjectLink('acme', event('ping', undefined))).toBeNull();
});
