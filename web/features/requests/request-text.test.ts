import { expect, test } from 'vitest';
import { curlFor } from '../../api/curl.ts';
import type { ApiRequest } from '../../api/types.ts';
import { isChartWider, listFilter, requestCall, statusTone, usageFilter } from './request-text.ts';

const NOW = Date.parse('2026-01-15T09:30:00Z');

test('the filters of the page become those of the list', () => {
  expect(listFilter({}, NOW)).toEqual({ actor_type: 'api_key' });
  expect(listFilter({ actor: 'all' }, NOW)).toEqual({});
  expect(
    listFilter(
      { status: '4xx', errors: true, method: 'POST', operation: 'links.create', key: 'key_1', since: '1h' },
      NOW,
    ),
  ).toEqual({
    status: '4xx',
    errors: true,
    method: 'POST',
    operation: 'links.create',
    api_key_id: 'key_1',
    created_after: '2026-01-15T08:30:00.000Z',
  });
});

test('error codes and addresses filter the list, which the chart then does not follow', () => {
  const search = { error: 'invalid_request', address: '203.0.113.7' };
  expect(listFilter({ ...search, actor: 'all' }, NOW)).toEqual({
    error_code: 'invalid_request',
    address: '203.0.113.7',
  });
  expect(isChartWider(search)).toBe(true);
  expect(isChartWider({ errors: true, operation: 'links.get', key: 'key_1', since: '1h' })).toBe(false);
});

test('the chart counts full hours: a day at least, and a week without a choice', () => {
  expect(usageFilter({ since: '1h' }, NOW)).toEqual({
    from: '2026-01-14T10:00:00.000Z',
    interval: 'hour',
    actor_type: 'api_key',
  });
  expect(usageFilter({ since: '24h', actor: 'all', operation: 'links.get' }, NOW)).toEqual({
    from: '2026-01-14T10:00:00.000Z',
    interval: 'hour',
    operation: 'links.get',
  });
  expect(usageFilter({}, NOW).from).toBe('2026-01-08T10:00:00.000Z');
});

test.each([
  [{ key: 'key_1' }, { api_key_id: 'key_1' }],
  [{ person: 'usr_1' }, { user_id: 'usr_1' }],
  [{ actor: 'user', person: 'usr_1' }, { user_id: 'usr_1' }],
  [{ actor: 'user', key: 'key_1' }, { actor_type: 'user' }],
  [{ actor: 'all', key: 'key_1', person: 'usr_1' }, {}],
] as const)('list and chart of %j are limited to %j', (search, limits) => {
  expect(listFilter(search, NOW)).toEqual(limits);
  expect(usageFilter(search, NOW)).toEqual({ ...usageFilter({ actor: 'all' }, NOW), ...limits });
});

test.each([
  [200, 'good'],
  [204, 'good'],
  [304, 'idle'],
  [404, 'warn'],
  [499, 'warn'],
  [500, 'bad'],
] as const)('status %d is %s', (status, tone) => {
  expect(statusTone(status)).toBe(tone);
});

test('the cURL command has method and path', () => {
  const call = (method: string) => requestCall({ method, route: '/links/{id}' } as ApiRequest);
  expect(curlFor(call('PATCH'), 'fl_key', 'https://example.com')).toBe(
    `curl -X PATCH 'https://example.com/api/v1/links/{id}' \\\n  -H "Authorization: Bearer fl_key"`,
  );
  expect(curlFor(call('HEAD'), 'fl_key', 'https://example.com')).toContain('curl -I ');
});
