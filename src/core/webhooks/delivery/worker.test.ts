import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/db.ts';
import { newUuid } from '../../../platform/http/ids.ts';
import { publicId } from '../../vocabulary/ids.ts';
import { type Receiver, startReceiver } from '../../../../test/support/webhooks.ts';
import { type Engine, insertWebhook, startEngine } from '../../../../test/support/webhooks/delivery.ts';

let database: TestDatabase;
let engine: Engine;
const receivers: Receiver[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  // Long enough for responses on a busy machine.
  engine = startEngine(database.db, { timeoutMs: 4_000 });
});
afterAll(async () => {
  await engine.stop();
  await Promise.all(receivers.map((each) => each.close()));
  await database.drop();
  if (engine.logged.length) throw new Error(engine.logged.join('\n'));
});

const query = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows;

async function receiver(react?: Receiver['react']): Promise<Receiver> {
  const made = await startReceiver(react);
  receivers.push(made);
  return made;
}

/** Writes events in one transaction. @returns their resource IDs */
async function write(
  workspaceId: string,
  count: number,
  more: object = {},
  resource?: string,
): Promise<void> {
  await engine.units.write(async (unit) => {
    for (let n = 0; n < count; n++)
      await unit.events.write(unit, {
        workspaceId,
        type: 'api_key.updated',
        resourceId: resource ?? publicId('api_key', newUuid()),
        object: { object: 'api_key', n, ...more },
      });
  });
}

const getDeliveries = (webhook: string) =>
  query('select * from deliveries where webhook_id = $1 order by id', [webhook]);
const queuedFor = (webhook: string) =>
  query('select * from delivery_queue where receiver_id = $1', [webhook]);
const receiverRow = async (webhook: string) =>
  (await query('select * from receivers where id = $1', [webhook]))[0];

describe('delivery', () => {
  test('each event reaches each webhook that wants it, once, and is recorded', async () => {
    const workspaceId = newUuid();
    const [all, some, none] = [await receiver(), await receiver(), await receiver()];
    const a = await insertWebhook(database.db, { workspaceId, url: all.url, events: ['*', 'api_key.*'] });
    await insertWebhook(database.db, { workspaceId, url: some.url, events: ['api_key.updated'] });
    await insertWebhook(database.db, { workspaceId, url: none.url, events: ['member.*'] });
    await insertWebhook(database.db, { workspaceId: newUuid(), url: none.url });
    await write(workspaceId, 120);
    await vi.waitFor(() => expect([all.received.length, some.received.length]).toEqual([120, 120]), PATIENCE);
    await vi.waitFor(async () => expect(await queuedFor(a.id)).toEqual([]), PATIENCE);

    expect(new Set(all.ids()).size).toBe(120);
    expect(none.received).toEqual([]);
    const rows = await getDeliveries(a.id);
    expect(rows).toHaveLength(120);
    for (const row of rows)
      expect(row).toMatchObject({ status: 'succeeded', attempts: 1, last_status_code: 200, failed_as: null });
    const attempts = await query(
      'select a.* from delivery_attempts a join deliveries d on d.id = a.delivery_id where d.webhook_id = $1',
      [a.id],
    );
    expect(attempts).toHaveLength(120);
    expect(attempts[0]).toMatchObject({
      number: 1,
      url: all.url,
      remote_address: '127.0.0.1',
      error_code: null,
    });
    expect(await receiverRow(a.id)).toMatchObject({ in_flight: 0, failing_since: null });
    const [stats] = await query('select sum(succeeded)::int as ok from webhook_stats where webhook_id = $1', [
      a.id,
    ]);
    expect(stats).toEqual({ ok: 120 });
  });

  test('filters let pass what is about the thing they name, and nothing else', async () => {
    const workspaceId = newUuid();
    const to = await receiver();
    const hook = (filters: object) => insertWebhook(database.db, { workspaceId, url: to.url, filters });
    const byLink = await hook({ link_id: 'lnk_1' });
    const byTag = await hook({ tag: 'spring' });
    const byBoth = await hook({ link_id: 'lnk_1', tag: 'spring' });
    const byInstance = await hook({ instance_id: 'ins_1' });
    await write(workspaceId, 1, { object: 'link', id: 'lnk_1', tags: ['spring', 'x'] });
    await write(workspaceId, 1, { object: 'link', id: 'lnk_1', tags: [] });
    await write(workspaceId, 1, { object: 'link', id: 'lnk_2', tags: ['spring'] });
    await write(workspaceId, 1, { object: 'message', link_id: 'lnk_1', instance_id: 'ins_1' });
    await write(workspaceId, 1, { object: 'instance', id: 'ins_1', tags: 'spring' });
    await write(workspaceId, 1, { object: 'group', id: 'ins_1', tags: { spring: 1 } });
    await vi.waitFor(() => expect(to.received.length).toBeGreaterThanOrEqual(8), PATIENCE);
    await vi.waitFor(async () => expect(await queuedFor(byTag.id)).toEqual([]), PATIENCE);
    const counts = await Promise.all(
      [byLink, byTag, byBoth, byInstance].map(async ({ id }) => (await getDeliveries(id)).length),
    );
    expect(counts).toEqual([3, 2, 1, 2]);
  });

  test('a failure is tried again by the schedule, with the same ID and a fresh signature', async () => {
    const workspaceId = newUuid();
    const to = await receiver(() => (to.received.length === 1 ? 503 : 204));
    const { id } = await insertWebhook(database.db, { workspaceId, url: to.url });
    await write(workspaceId, 1);
    await vi.waitFor(
      async () => expect((await getDeliveries(id))[0]).toMatchObject({ attempts: 1 }),
      PATIENCE,
    );
    const [row] = await getDeliveries(id);
    expect(row).toMatchObject({
      status: 'pending',
      last_status_code: 503,
      last_error: 'status',
      completed_at: null,
    });
    const [queued] = await queuedFor(id);
    const wait = queued.due_at - row.last_attempt_at;
    expect(wait).toBeGreaterThan(3_900);
    expect(wait).toBeLessThan(6_200);
    expect((await receiverRow(id)).failing_since).not.toBeNull();
    await vi.waitFor(() => expect(to.received).toHaveLength(2), PATIENCE);
    await vi.waitFor(
      async () => expect((await getDeliveries(id))[0]).toMatchObject({ status: 'succeeded', attempts: 2 }),
      PATIENCE,
    );
    const [first, second] = to.received;
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    expect(second!.body).toBe(first!.body);
    expect(second!.headers['webhook-timestamp']).not.toBe(first!.headers['webhook-timestamp']);
    expect(await receiverRow(id)).toMatchObject({ failing_since: null, in_flight: 0 });
  });

  test.each([
    [
      'a redirect, which is not followed',
      () => ({ status: 302, headers: { location: '/elsewhere' } }),
      { last_error: 'redirect', last_status_code: 302 },
    ],
    ['404, which alone disables nothing', () => 404, { last_error: 'status', last_status_code: 404 }],
    [
      'an answer that asks for an hour',
      () => ({ status: 429, headers: { 'retry-after': '3600' } }),
      { last_status_code: 429 },
    ],
  ])('%s', async (name, react, expected) => {
    const workspaceId = newUuid();
    const to = await receiver(react);
    const { id } = await insertWebhook(database.db, { workspaceId, url: to.url });
    await write(workspaceId, 1);
    await vi.waitFor(
      async () => expect((await getDeliveries(id))[0]).toMatchObject({ attempts: 1 }),
      PATIENCE,
    );
    const [row] = await getDeliveries(id);
    expect(row).toMatchObject({ status: 'pending', ...expected });
    const [queued] = await queuedFor(id);
    expect((queued.due_at - row.last_attempt_at) / 1000).toBeGreaterThan(/hour/.test(name) ? 3_590 : 3.9);
    expect(to.received).toHaveLength(1);
    expect(engine.disabled.filter(([webhook]) => webhook === id)).toEqual([]);
  });

  test('410 asks for the webhook to be disabled, which cancels its delivery; until then it goes on', async () => {
    const workspaceId = newUuid();
    const to = await receiver(() => 410);
    const { id } = await insertWebhook(database.db, { workspaceId, url: to.url });
    await write(workspaceId, 1);
    await vi.waitFor(() => expect(engine.disabled).toContainEqual([id, 'gone']), PATIENCE);
    expect((await getDeliveries(id))[0]).toMatchObject({
      status: 'pending',
      last_status_code: 410,
      attempts: 1,
    });
    expect(await queuedFor(id)).toMatchObject([{ claimed_by: null, step: 1 }]);
    await query('update receivers set enabled = false where id = $1', [id]);
    await query('insert into receiver_wakes (workspace_id, receiver_id) values ($1, $2)', [workspaceId, id]);
    await vi.waitFor(async () => expect(await queuedFor(id)).toEqual([]), PATIENCE);
    expect((await getDeliveries(id))[0]).toMatchObject({ status: 'canceled', reason: 'gone', attempts: 1 });
  });

  test('the last attempt of the schedule exhausts it', async () => {
    const workspaceId = newUuid();
    const to = await receiver(() => 500);
    const { id } = await insertWebhook(database.db, { workspaceId, url: to.url });
    await write(workspaceId, 1);
    await vi.waitFor(
      async () => expect(await queuedFor(id)).toMatchObject([{ attempts: 1, claimed_by: null }]),
      PATIENCE,
    );
    await query('update delivery_queue set step = 9, attempts = 9, due_at = now() where receiver_id = $1', [
      id,
    ]);
    await query('insert into receiver_wakes (workspace_id, receiver_id) values ($1, $2)', [workspaceId, id]);
    await vi.waitFor(
      async () => expect((await getDeliveries(id))[0]).toMatchObject({ status: 'exhausted', attempts: 10 }),
      PATIENCE,
    );
    expect(await queuedFor(id)).toEqual([]);
  });

  test('five days of nothing but failures disable; one success between them does not', async () => {
    const workspaceId = newUuid();
    const to = await receiver(() => 500);
    const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000);
    const failing = async (since: number, last: number) => {
      const { id } = await insertWebhook(database.db, { workspaceId, url: to.url });
      await query('update receivers set failing_since = $2, last_failure_at = $3 where id = $1', [
        id,
        ago(since),
        ago(last),
      ]);
      return id;
    };
    const [old, young, gap] = [await failing(121, 20), await failing(119, 20), await failing(400, 60)];
    await write(workspaceId, 1);
    await vi.waitFor(() => expect(engine.disabled).toContainEqual([old, 'failing']), PATIENCE);
    await vi.waitFor(() => expect(to.received).toHaveLength(3), PATIENCE);
    await vi.waitFor(
      async () =>
        expect((await receiverRow(gap)).failing_since.getTime()).toBeGreaterThan(Date.now() - 60_000),
      PATIENCE,
    );
    expect(engine.disabled.filter(([id]) => id === young || id === gap)).toEqual([]);
  });

  test('what waits for a webhook that is disabled or deleted is canceled', async () => {
    const workspaceId = newUuid();
    const to = await receiver(() => 500);
    const [off, gone] = [
      await insertWebhook(database.db, { workspaceId, url: to.url }),
      await insertWebhook(database.db, { workspaceId, url: to.url }),
    ];
    await write(workspaceId, 3);
    await vi.waitFor(() => expect(to.received).toHaveLength(6), PATIENCE);
    await query('update receivers set enabled = false where id = $1', [off.id]);
    await query('delete from receivers where id = $1', [gone.id]);
    await query('insert into receiver_wakes (workspace_id, receiver_id) values ($1, $2), ($1, $3)', [
      workspaceId,
      off.id,
      gone.id,
    ]);
    await vi.waitFor(
      async () => expect([await queuedFor(off.id), await queuedFor(gone.id)]).toEqual([[], []]),
      PATIENCE,
    );
    for (const row of await getDeliveries(off.id))
      expect(row).toMatchObject({ status: 'canceled', reason: 'webhook_disabled' });
    for (const row of await getDeliveries(gone.id))
      expect(row).toMatchObject({ status: 'canceled', reason: 'webhook_deleted' });
  });

  test('what a receiver answers is kept up to 4 KiB, whatever bytes it is', async () => {
    const workspaceId = newUuid();
    const to = await receiver(() => ({
      status: 200,
      headers: { 'x-odd': 'a'.repeat(2_000) },
      body: '\0<script>'.repeat(2_000),
    }));
    const { id } = await insertWebhook(database.db, { workspaceId, url: to.url });
    await write(workspaceId, 1);
    await vi.waitFor(
      async () => expect((await getDeliveries(id))[0]).toMatchObject({ status: 'succeeded' }),
      PATIENCE,
    );
    const [attempt] = await query(
      'select a.* from delivery_attempts a join deliveries d on d.id = a.delivery_id where d.webhook_id = $1',
      [id],
    );
    expect(attempt.response_body).toHaveLength(4_096);
    expect(attempt.response_truncated).toBe(true);
    expect(attempt.response_headers['x-odd']).toHaveLength(500);
  });
});

describe('a receiver', () => {
  test('gets no more at once than its concurrency', async () => {
    const workspaceId = newUuid();
    let open = 0;
    let max = 0;
    const to = await receiver(async () => {
      max = Math.max(max, ++open);
      await new Promise((resolve) => setTimeout(resolve, 15));
      open--;
      return 200;
    });
    const { id } = await insertWebhook(database.db, { workspaceId, url: to.url, concurrency: 3 });
    await write(workspaceId, 60);
    await vi.waitFor(() => expect(to.received).toHaveLength(60), PATIENCE);
    expect(max).toBe(3);
    await vi.waitFor(async () => expect(await receiverRow(id)).toMatchObject({ in_flight: 0 }), PATIENCE);
  });

  test('gets no more than its rate allows', async () => {
    const workspaceId = newUuid();
    const to = await receiver();
    const { id } = await insertWebhook(database.db, { workspaceId, url: to.url, ratePerMinute: 600 });
    await query('update receivers set rate_burst = 5, tokens = 5 where id = $1', [id]);
    const began = performance.now();
    await write(workspaceId, 25);
    await vi.waitFor(() => expect(to.received).toHaveLength(25), PATIENCE);
    const seconds = (performance.now() - began) / 1000;
    expect(seconds).toBeGreaterThan(1.9); // 5 immediately, then 10 per second
  });

  test('that never answers holds its own slots alone, fewer of them after a while', async () => {
    const workspaceId = newUuid();
    const [dead, well] = [await receiver(() => null), await receiver()];
    const stuck = await insertWebhook(database.db, { workspaceId, url: dead.url, concurrency: 8 });
    await insertWebhook(database.db, { workspaceId, url: well.url });
    await write(workspaceId, 200);
    await vi.waitFor(() => expect(well.received).toHaveLength(200), PATIENCE);
    expect(dead.received).toHaveLength(8);
    await vi.waitFor(async () => expect(await receiverRow(stuck.id)).toMatchObject({ slots: 1 }));
    const [attempt] = await query(
      'select error_code from delivery_attempts a join deliveries d on d.id = a.delivery_id where d.webhook_id = $1',
      [stuck.id],
    );
    expect(attempt.error_code).toBe('timeout');
    dead.react = () => 200;
    await vi.waitFor(async () => expect(await receiverRow(stuck.id)).toMatchObject({ slots: 8 }));
    await query('delete from receivers where id = $1', [stuck.id]);
  });
});
