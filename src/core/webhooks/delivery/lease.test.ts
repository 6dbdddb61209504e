/** Tests that claimed deliveries belong to their worker or are taken over, whatever fails in between. */
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/db.ts';
import { newUuid } from '../../../platform/http/ids.ts';
import { startReceiver } from '../../../../test/support/webhooks.ts';
import { claim } from './claim.system-store.ts';
import { countSlots } from './shares.ts';
import { addWorker, takeOver } from './lease.system-store.ts';
import { takePendingWakeups } from './complete.system-store.ts';
import { insertWebhook, startEngine } from '../../../../test/support/webhooks/delivery.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
afterEach(() => query('delete from delivery_workers'));

const query = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows;
const workspaceId = newUuid();

/** A delivery as a claim leaves it, of an event that is there. */
async function insertClaimed(receiverId: string, worker: string | null): Promise<string> {
  const [eventId, deliveryId] = [newUuid(), newUuid()];
  await query(
    `insert into events (id, workspace_id, sequence, type, data, created_at)
     values ($1, $2, (select count(*) + 1 from events), 'api_key.updated', '{"object": {}}', now())`,
    [eventId, workspaceId],
  );
  await query(
    `insert into deliveries (workspace_id, id, webhook_id, event_id, event_type, created_at)
     values ($1, $2, $3, $4, 'api_key.updated', now())`,
    [workspaceId, deliveryId, receiverId, eventId],
  );
  await query(
    `insert into delivery_queue (delivery_id, workspace_id, receiver_id, event_id, position, due_at, claimed_by)
     values ($1, $2, $3, $4, 1, now() - interval '1 s', $5)`,
    [deliveryId, workspaceId, receiverId, eventId, worker],
  );
  if (worker) await query('update receivers set in_flight = in_flight + 1 where id = $1', [receiverId]);
  else await query('update receivers set next_due_at = now() where id = $1', [receiverId]);
  return deliveryId;
}
const inFlight = async (id: string): Promise<number> =>
  (await query('select in_flight from receivers where id = $1', [id]))[0]?.in_flight;

test('a worker whose registration was not answered registers again', async () => {
  const id = newUuid();
  await addWorker(database.db, id, -1);
  await addWorker(database.db, id, 60_000);
  expect(await query('select lease_until > now() as held from delivery_workers')).toEqual([{ held: true }]);
});

test('who takes over waits for a claim that is not committed yet, so that none of it stays behind', async () => {
  const { id } = await insertWebhook(database.db, { workspaceId, url: 'http://127.0.0.1:9/' });
  const delivery = await insertClaimed(id, null);
  const worker = newUuid();
  await addWorker(database.db, worker, 60_000);
  await database.db.transaction().execute(async (tx) => {
    const claimed = await claim(tx, worker, countSlots(10, 0, []), true);
    expect(claimed.map(({ delivery_id }) => delivery_id)).toEqual([delivery]);
    await query(`update delivery_workers set lease_until = now() - interval '1 s'`);
    expect(await takeOver(database.db)).toBe(0);
  });
  expect(await inFlight(id)).toBe(1);
  expect(await takeOver(database.db)).toBe(1);
  expect(await inFlight(id)).toBe(0);
  expect(await query('select claimed_by from delivery_queue where delivery_id = $1', [delivery])).toEqual([
    { claimed_by: null },
  ]);
  await query('delete from delivery_queue');
});

test('a worker that was taken over claims nothing more', async () => {
  const { id } = await insertWebhook(database.db, { workspaceId, url: 'http://127.0.0.1:9/' });
  await insertClaimed(id, null);
  await database.db.transaction().execute(async (tx) => {
    expect(await claim(tx, newUuid(), countSlots(10, 0, []), true)).toEqual([]);
  });
  await query('delete from delivery_queue');
});

test.each([
  ['disabled', 'update receivers set enabled = false where id = $1'],
  ['deleted', 'delete from receivers where id = $1'],
])('what is taken over for a webhook that was %s meanwhile is canceled', async (_, change) => {
  const { id } = await insertWebhook(database.db, { workspaceId, url: 'http://127.0.0.1:9/' });
  const dead = newUuid();
  await addWorker(database.db, dead, -1);
  const delivery = await insertClaimed(id, dead);
  await query(change, [id]);
  const engine = startEngine(database.db);
  await vi.waitFor(
    async () =>
      expect(await query('select status from deliveries where id = $1', [delivery])).toEqual([
        { status: 'canceled' },
      ]),
    PATIENCE,
  );
  expect(await query('select from delivery_queue')).toEqual([]);
  await engine.stop();
});

test('a claim whose commit was never answered is put back and sent', async () => {
  const receiver = await startReceiver();
  const engine = startEngine(database.db);
  const { id } = await insertWebhook(database.db, { workspaceId, url: receiver.url });
  const [own] = await vi.waitFor(async () => {
    const rows = await query('select id from delivery_workers');
    expect(rows).toHaveLength(1);
    return rows;
  }, PATIENCE);
  // The state after such a commit, while the connection of a cycle breaks.
  await insertClaimed(id, own.id);
  const holder = await database.pool.connect();
  await holder.query('begin');
  await holder.query('select from receivers where id = $1 for update', [id]);
  await query('insert into receiver_wakes (workspace_id, receiver_id) values ($1, $2)', [workspaceId, id]);
  await vi.waitFor(async () => {
    const cut = await query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and query like '%receiver_wakes%'`,
    );
    expect(cut).not.toHaveLength(0);
  }, PATIENCE);
  await holder.query('rollback');
  holder.release();
  await vi.waitFor(() => expect(receiver.received).toHaveLength(1), PATIENCE);
  await vi.waitFor(async () => expect(await query('select from delivery_queue')).toEqual([]), PATIENCE);
  expect(await inFlight(id)).toBe(0);
  await engine.stop();
  await receiver.close();
});

test('a process that freezes within a turn does not keep the others from its receivers', async () => {
  const { id } = await insertWebhook(database.db, { workspaceId, url: 'http://127.0.0.1:9/' });
  const dead = newUuid();
  await addWorker(database.db, dead, -1);
  await insertClaimed(id, dead);
  const { promise: isFrozen, resolve: freeze } = Promise.withResolvers<void>();
  const { promise: goesOn, resolve: goOn } = Promise.withResolvers<void>();
  const frozen = database.db.transaction().execute(async (tx) => {
    await takePendingWakeups(tx, [id]);
    freeze();
    await goesOn;
    await takePendingWakeups(tx, []);
  });
  await isFrozen;
  expect(await takeOver(database.db)).toBe(1);
  goOn();
  await expect(frozen).rejects.toThrow(/connection/);
  await query('delete from delivery_queue');
});
