/**
 * Tests several workers on one database: nothing is sent twice concurrently, dead workers are taken over, order is
 * kept.
 */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/db.ts';
import { newUuid } from '../../../platform/http/ids.ts';
import { startReceiver } from '../../../../test/support/webhooks.ts';
import { addWorker, takeOver } from './lease.system-store.ts';
import { insertWebhook, startEngine } from '../../../../test/support/webhooks/delivery.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** `npm run soak delivery-order` tries more. */
const ORDERED = Number(process.env.ORDERED_EVENTS ?? 2_000);
const query = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows;

test('three workers share more than one can hold, send each delivery once, and keep to the concurrency', async () => {
  const workspaceId = newUuid();
  const open = new Map<string, number>();
  let max = 0;
  const receiver = await startReceiver(async ({ headers }) => {
    const hook = String(headers['x-hook']);
    open.set(hook, (open.get(hook) ?? 0) + 1);
    max = Math.max(max, open.get(hook)!);
    await new Promise((resolve) => setTimeout(resolve, 100));
    open.set(hook, open.get(hook)! - 1);
    return 200;
  });
  const engines = [0, 1, 2].map((n) => startEngine(database.db, { sequences: n === 0 }));
  const hooks = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      insertWebhook(database.db, {
        workspaceId,
        url: receiver.url,
        concurrency: 100,
        headers: { 'X-Hook': String(n) },
      }),
    ),
  );
  const waking = setInterval(() => engines.forEach(({ worker }) => worker.wake()), 5);
  await engines[0]!.units.write(async (unit) => {
    for (let n = 0; n < 300; n++)
      await unit.events.write(unit, {
        workspaceId,
        type: 'api_key.updated',
        resourceId: null,
        object: { n },
      });
  });
  await vi.waitFor(() => expect(receiver.received).toHaveLength(2_400), PATIENCE);
  await vi.waitFor(
    async () =>
      expect(await query('select from delivery_queue where workspace_id = $1', [workspaceId])).toEqual([]),
    PATIENCE,
  );
  clearInterval(waking);
  const pairs = receiver.received.map(
    ({ headers }) => `${String(headers['x-hook'])} ${String(headers['webhook-id'])}`,
  );
  expect(new Set(pairs).size).toBe(2_400);
  expect(max).toBeLessThanOrEqual(100);
  expect(engines.filter(({ attempts }) => attempts.length > 0).length).toBeGreaterThan(1);
  // A process that gets no processor time for seconds loses its connection, or its lease.
  const isStarved = (line: string): boolean => /Connection terminated|lease/.test(line);
  expect(engines.flatMap(({ logged }) => logged).filter((line) => !isStarved(line))).toEqual([]);
  await Promise.all(engines.map((engine) => engine.stop()));
  await receiver.close();
  for (const { id } of hooks)
    expect(await query('select in_flight from receivers where id = $1', [id])).toEqual([{ in_flight: 0 }]);
  expect(await query('select from delivery_workers')).toEqual([]);
});

test('a stop puts back what is still being sent, and another worker sends it', async () => {
  const workspaceId = newUuid();
  const receiver = await startReceiver(() => null);
  const engine = startEngine(database.db);
  const { id } = await insertWebhook(database.db, { workspaceId, url: receiver.url });
  await engine.units.write((unit) =>
    unit.events.write(unit, { workspaceId, type: 'api_key.updated', resourceId: null, object: {} }),
  );
  await vi.waitFor(() => expect(receiver.received).toHaveLength(1), PATIENCE);
  await engine.stop();
  expect(await query('select claimed_by, attempts from delivery_queue where receiver_id = $1', [id])).toEqual(
    [{ claimed_by: null, attempts: 0 }],
  );
  receiver.react = () => 200;
  const next = startEngine(database.db);
  await vi.waitFor(() => expect(next.attempts).toHaveLength(1), PATIENCE);
  await next.stop();
  await receiver.close();
});

test('claims of a worker whose lease is over are taken over once; its late results count for nothing', async () => {
  const workspaceId = newUuid();
  const dead = newUuid();
  const alive = newUuid();
  await addWorker(database.db, dead, -1);
  await addWorker(database.db, alive, 60_000);
  const { id } = await insertWebhook(database.db, { workspaceId, url: 'http://127.0.0.1:9/' });
  const claim = (worker: string) =>
    query(
      `insert into delivery_queue (delivery_id, workspace_id, receiver_id, event_id, position, due_at, claimed_by)
       values (gen_random_uuid(), $1, $2, gen_random_uuid(), 1, now() - interval '1 minute', $3)`,
      [workspaceId, id, worker],
    );
  await claim(dead);
  await claim(dead);
  await claim(alive);
  await query('update receivers set in_flight = 3 where id = $1', [id]);
  const counts = await Promise.all([takeOver(database.db), takeOver(database.db), takeOver(database.db)]);
  expect(counts.reduce((sum, count) => sum + count)).toBe(2);
  const rows = await query(
    'select claimed_by from delivery_queue where receiver_id = $1 order by claimed_by',
    [id],
  );
  expect(rows.map(({ claimed_by }) => claimed_by)).toEqual([alive, null, null]);
  const [receiver] = await query(
    'select in_flight, next_due_at <= now() as due from receivers where id = $1',
    [id],
  );
  expect(receiver).toEqual({ in_flight: 1, due: true });
  await query('delete from delivery_queue where receiver_id = $1', [id]);
  await query('delete from delivery_workers');
});

test('a worker that was cut off from its lease stops sending and begins anew', async () => {
  const workspaceId = newUuid();
  const receiver = await startReceiver(() => null);
  const engine = startEngine(database.db);
  const { id } = await insertWebhook(database.db, { workspaceId, url: receiver.url });
  const [before] = await vi.waitFor(async () => {
    const rows = await query('select id from delivery_workers');
    expect(rows).toHaveLength(1);
    return rows;
  }, PATIENCE);
  await engine.units.write((unit) =>
    unit.events.write(unit, { workspaceId, type: 'api_key.updated', resourceId: null, object: {} }),
  );
  await vi.waitFor(() => expect(receiver.received).toHaveLength(1), PATIENCE);
  receiver.react = () => 200;
  await query('update delivery_workers set lease_until = now() - interval $$1 s$$');
  await takeOver(database.db);
  await vi.waitFor(() => expect(receiver.received).toHaveLength(2), PATIENCE);
  await vi.waitFor(
    async () => expect(await query('select from delivery_queue where receiver_id = $1', [id])).toEqual([]),
    PATIENCE,
  );
  const [after] = await query('select id from delivery_workers');
  expect(after.id).not.toBe(before.id);
  expect(await query('select in_flight from receivers where id = $1', [id])).toEqual([{ in_flight: 0 }]);
  // It says so, unless it noticed first that it had not renewed its lease in time.
  expect(engine.logged.filter((line) => !line.includes('lease'))).toEqual([]);
  await engine.stop();
  await receiver.close();
});

test(`per_resource: ${ORDERED} events of 100 resources arrive in order for each, whatever fails`, async () => {
  const workspaceId = newUuid();
  const heard = new Map<string, number[]>();
  const receiver = await startReceiver(({ body }) => {
    if (Math.random() < 0.05) return 500;
    const { resource, n } = JSON.parse(body).data.object;
    heard.set(resource, [...(heard.get(resource) ?? []), n]);
    return 200;
  });
  const engines = [startEngine(database.db), startEngine(database.db, { sequences: false })];
  const { id } = await insertWebhook(database.db, {
    workspaceId,
    url: receiver.url,
    ordered: true,
    concurrency: 64,
  });
  for (let n = 0; n < ORDERED / 100; n++)
    await engines[0]!.units.write(async (unit) => {
      for (let resource = 0; resource < 100; resource++)
        await unit.events.write(unit, {
          workspaceId,
          type: 'api_key.updated',
          resourceId: `r${resource}`,
          object: { resource: `r${resource}`, n },
        });
    });
  // Retries are due after seconds; this makes them due immediately.
  const hurry = setInterval(
    () =>
      void query(
        `with due as (update delivery_queue set due_at = now() where receiver_id = $1 and claimed_by is null
           and due_at between now() and now() + interval '1 hour' returning receiver_id)
         insert into receiver_wakes (workspace_id, receiver_id) select distinct $2::uuid, receiver_id from due`,
        [id, workspaceId],
      ),
    100,
  );
  try {
    await vi.waitFor(
      async () =>
        expect(
          await query('select count(*)::int as n from delivery_queue where receiver_id = $1', [id]),
        ).toEqual([{ n: 0 }]),
      { timeout: 120_000, interval: 200 },
    );
  } finally {
    clearInterval(hurry);
  }
  expect(heard.size).toBe(100);
  const inOrder = Array.from({ length: ORDERED / 100 }, (_, n) => n);
  for (const [resource, order] of heard) expect(order, resource).toEqual(inOrder);
  expect(receiver.received.length).toBeGreaterThan(ORDERED * 1.02);
  for (const engine of engines) expect(engine.logged).toEqual([]);
  await Promise.all(engines.map((engine) => engine.stop()));
  await receiver.close();
});
