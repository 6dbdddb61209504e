/** Rows that a process holds which froze in the midst of a transaction: others are told so, and keep nothing waiting. */
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';
import { toUuid } from '../../core/vocabulary/ids.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
/** As a frozen process has it: nothing ends its transaction. */
let frozen: pg.Client;

beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app);
});
afterAll(() => app.stop());
beforeEach(async () => {
  frozen = new pg.Client(app.database.connection);
  await frozen.connect();
  await frozen.query('begin');
});
afterEach(() => frozen.end());

const call = (path: string, body?: unknown, method?: string, headers?: Record<string, string>) =>
  app.call(path, { key: home.key, body, method, headers });

let made = 0;
async function connected(): Promise<string> {
  const { id } = (await call('/instances', { name: `Front ${++made}`, channel: 'sandbox' })).body;
  await app.database.pool.query(`update instances set state = 'connected' where id = $1`, [
    toUuid('instance', id),
  ]);
  return id;
}

const busy = { code: 'unavailable', detail: expect.stringContaining('locked'), status: 503 };

test('a message to an instance whose queue is locked is refused, and can be sent again', async () => {
  const instance = await connected();
  const body = { instance_id: instance, to: 'alice', type: 'text', text: { body: 'hello' } };
  const key = { 'idempotency-key': 'once' };
  await frozen.query('select from instance_queues where instance_id = $1 for update', [
    toUuid('instance', instance),
  ]);
  const refused = await call('/messages', body, 'POST', key);
  expect(refused.body).toMatchObject(busy);
  expect(refused.headers.get('retry-after')).toBe('2');
  expect((await call('/messages')).body.data).toEqual([]);
  await frozen.query('rollback');
  expect(await call('/messages', body, 'POST', key)).toHaveStatus(202);
  expect((await call('/messages')).body.data).toHaveLength(1);
});

test('a publication whose key is locked is refused', async () => {
  const instance = await connected();
  const endpoint = await call('/publishing-endpoints', {
    name: 'Blog',
    auth: { type: 'bearer' },
    dedupe_key: '{{ payload.key }}',
    destinations: [{ instance_id: instance, to: 'alice', template: 'Hello' }],
  });
  const path = `/publish/${endpoint.body.id}`;
  expect(await call(path, { key: 'a' })).toHaveStatus(202);
  await app.database.pool.query('update publication_keys set expires_at = now()');
  // The key counts no more, and whoever takes it waits for this row.
  await frozen.query('select from publication_keys for update');
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, nth) => call(path, { key: `a${nth || ''}` })),
  );
  expect(answers[0]!.body).toMatchObject(busy);
  await frozen.query('rollback');
  expect(await call(path, { key: 'a' })).toHaveStatus(202);
});

test('background work waits for a lock for as long as it takes', async () => {
  const { id, short_url } = (await call('/links', { url: 'https://example.com/' })).body;
  await frozen.query('select from links where id = $1 for update', [toUuid('link', id)]);
  await frozen.query('select from link_counters for update');
  await fetch(app.base + new URL(short_url).pathname, { redirect: 'manual' });
  /** The transactions that wait for a lock, by when they began. */
  const waiting = async (): Promise<string[]> => {
    const { rows } = await app.database.pool.query(
      `select xact_start::text from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows.map(({ xact_start }) => xact_start);
  };
  const loading = await vi.waitFor(async () => {
    const found = await waiting();
    expect(found).toHaveLength(1);
    return found;
  }, 10_000);
  // A request that comes later is refused once its time is over; the loader of clicks has waited for longer then.
  expect((await call(`/links/${id}`, { title: 'New' }, 'PATCH')).body).toMatchObject(busy);
  expect(await waiting()).toEqual(loading);
  await frozen.query('rollback');
  await vi.waitFor(async () => expect((await call(`/links/${id}`)).body.clicks).toBe(1), 10_000);
});

test('a change of an object that is locked is refused', async () => {
  const { id } = (await call('/links', { url: 'https://example.com/' })).body;
  await frozen.query('select from links where id = $1 for update', [toUuid('link', id)]);
  const refused = await call(`/links/${id}`, { title: 'New' }, 'PATCH');
  expect(refused.body).toMatchObject(busy);
  await frozen.query('rollback');
  expect(await call(`/links/${id}`, { title: 'New' }, 'PATCH')).toHaveStatus(200);
});
