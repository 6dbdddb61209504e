import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../test/support/patience.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';
import { makeKey, outcome } from '../../../test/support/workspaces.ts';
import { newUuid } from '../../platform/http/ids.ts';
import { toUuid } from '../vocabulary/ids.ts';
import { getBucket } from '../unit/event-writer.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
let uuid: string;

beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app, { scopes: ['usage:read', 'links:read'] });
  uuid = toUuid('workspace', home.workspace)!;
});
afterAll(() => app.stop());

const query = async (text: string, values: unknown[] = []) =>
  (await app.database.pool.query(text, values)).rows;
const HOUR_MS = 3_600_000;
const hourAgo = (hours: number): Date =>
  new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - hours * HOUR_MS);
const iso = (time: Date): string => time.toISOString();

const enqueue = (type: string) =>
  query(
    `insert into outbox (bucket, workspace_id, event_id, type, resource_id, data) values ($1, $2, $3, $4, null, '{}')`,
    [getBucket(uuid), uuid, newUuid(), type],
  );

describe('GET /usage/activity', () => {
  test('counts messages, clicks, deliveries and requests in each interval', async () => {
    for (const type of [
      'message.received',
      'message.received',
      'message.sent',
      'message.failed',
      'message.read',
    ])
      await enqueue(type);
    await query(
      `insert into webhook_stats (workspace_id, webhook_id, hour, succeeded, failed)
       values ($1, $2, $4, 3, 1), ($1, $3, $4, 4, 0), ($1, $3, $5, 100, 0)`,
      [uuid, newUuid(), newUuid(), hourAgo(2), hourAgo(40)],
    );
    await query(
      `insert into click_rollups (workspace_id, scope_id, bucket, resolution, clicks, bots)
       values ($1, $1, $2, 'h', 7, 50), ($1, $1, $3, 'd', 900, 0), ($1, $4, $2, 'h', 800, 0)`,
      [uuid, hourAgo(2), hourAgo(3), newUuid()],
    );
    await query(
      `insert into request_stats (workspace_id, hour, operation, actor, status_class, requests)
       values ($1, $2, 'links.list', 'key_a', 2, 10), ($1, $2, 'links.list', 'key_a', 4, 2), ($1, $2, 'links.get', 'key_b', 5, 1),
         ($1, $2, 'links.get', 'usr_a', 4, 4)`,
      [uuid, hourAgo(3)],
    );
    const ask = `/usage/activity?from=${iso(hourAgo(3))}&interval=hour`;
    const body = await vi.waitFor(async () => {
      const answer = await app.call(ask, { key: home.key });
      expect(answer).toHaveStatus(200);
      expect(answer.body.totals.messages).toEqual({ inbound: 2, outbound: 1, failed: 1 });
      return answer.body;
    }, PATIENCE);
    expect(body.data.map(({ start }: { start: string }) => start)).toEqual(
      [3, 2, 1, 0].map((hours) => iso(hourAgo(hours))),
    );
    const [first, second] = body.data;
    expect(first.requests).toEqual({ total: 13, errors: 3 });
    expect(second).toMatchObject({ clicks: 7, deliveries: { succeeded: 7, failed: 1 } });
    expect(body.totals).toMatchObject({ clicks: 7, deliveries: { succeeded: 7, failed: 1 } });
    expect(body.totals.requests.total).toBeGreaterThanOrEqual(13);
    expect(body.totals.requests.errors).toBe(3);
  });

  test('adds hours up to days, the last 7 by default', async () => {
    const { body } = await app.call('/usage/activity', { key: home.key });
    expect(body.interval).toBe('day');
    expect(body.data).toHaveLength(8);
    expect(body.totals.deliveries.succeeded).toBe(107);
    expect(body.data.every(({ start }: { start: string }) => start.endsWith('T00:00:00.000Z'))).toBe(true);
  });

  test('shows nothing of another workspace, and needs the scope', async () => {
    const other = await startWorkspace(app, { scopes: ['usage:read'] });
    const { body } = await app.call('/usage/activity', { key: other.key });
    expect(body.totals).toMatchObject({ clicks: 0, messages: { inbound: 0 }, deliveries: { succeeded: 0 } });
    const without = await makeKey(home, { scopes: ['links:read'] });
    for (const path of ['/usage/activity', '/usage/requests'])
      expect(outcome(await app.call(path, { key: without }))).toEqual([403, 'insufficient_scope']);
  });

  test('rejects ranges that are empty or too long', async () => {
    const ask = async (text: string) => (await app.call(`/usage/activity?${text}`, { key: home.key })).body;
    expect((await ask(`from=${iso(hourAgo(1))}&to=${iso(hourAgo(2))}`)).errors[0]).toMatchObject({
      pointer: '?to',
      code: 'out_of_range',
    });
    expect((await ask(`from=${iso(hourAgo(24 * 32))}`)).errors[0]).toMatchObject({ pointer: '?from' });
    expect((await ask('from=0001-01-01T00:00:00Z&to=9999-12-31T23:59:59Z')).errors).toMatchObject(
      ['?from', '?to'].map((pointer) => ({ pointer, detail: 'must be in the years 2000 to 2199' })),
    );
    expect(await ask('interval=minute')).toHaveStatus(400);
  });
});

describe('GET /usage/requests', () => {
  const usage = async (text: string, key = home.key) =>
    (await app.call(`/usage/requests?from=${iso(hourAgo(3))}&to=${iso(hourAgo(2))}&${text}`, { key })).body;

  test('counts by time, operation, status and actor', async () => {
    const totals = { requests: 17, errors: 7, average_duration_ms: 0 };
    const all = await usage('');
    expect(all).toMatchObject({ group_by: 'time', interval: 'hour', totals });
    expect(all.data).toEqual([{ start: iso(hourAgo(3)), value: null, ...totals }]);
    const grouped = async (by: string) =>
      (await usage(`group_by=${by}`)).data.map(
        (item: { value: string; requests: number; errors: number }) => [
          item.value,
          item.requests,
          item.errors,
        ],
      );
    expect(await grouped('operation')).toEqual([
      ['links.list', 12, 2],
      ['links.get', 5, 5],
    ]);
    expect(await grouped('status')).toEqual([
      ['2xx', 10, 0],
      ['4xx', 6, 6],
      ['5xx', 1, 1],
    ]);
    expect(await grouped('actor')).toEqual([
      ['key_a', 12, 2],
      ['usr_a', 4, 4],
      ['key_b', 1, 1],
    ]);
    expect((await usage('group_by=actor&limit=1')).data).toHaveLength(1);
    expect((await usage('operation=links.get')).totals.requests).toBe(5);
    expect((await usage('actor_type=api_key')).totals).toMatchObject({ requests: 13, errors: 3 });
    expect((await usage('actor_type=user&operation=links.list')).totals.requests).toBe(0);
  });

  test('counts the requests of one key as the log lists them', async () => {
    const reader = await makeKey(home, { scopes: ['audit:read'] });
    const counted = await makeKey(home, { scopes: ['links:read'] });
    for (let n = 0; n < 4; n++) await app.call(n ? '/links' : '/links/lnk_none', { key: counted });
    await vi.waitFor(async () => {
      const { body } = await app.call('/requests?limit=100&operation=links.list', { key: reader });
      const { id } = body.data[0].actor;
      const { body: log } = await app.call(`/requests?api_key_id=${id}`, { key: reader });
      const answer = await app.call(`/usage/requests?api_key_id=${id}`, { key: home.key });
      expect(log.data).toHaveLength(4);
      expect(answer.body.totals).toMatchObject({ requests: 4, errors: 1 });
    }, PATIENCE);
  });

  test('rejects a key and a person together', async () => {
    const key = 'key_01h2xcejqtf2nbrexx3vqjhp41';
    expect(await usage(`api_key_id=${key}&user_id=${home.owner.userId}`)).toHaveStatus(400);
  });
});
