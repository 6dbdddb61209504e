/** Claims beside others who change the same receivers, and the turns that receivers get. */
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/db.ts';
import { newUuid } from '../../../platform/http/ids.ts';
import { claim, readByIndex } from './claim.system-store.ts';
import { addWorker } from './lease.system-store.ts';
import { insertWebhook } from '../../../../test/support/webhooks/delivery.ts';

let database: TestDatabase;
const workspaceId = newUuid();
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await query('delete from delivery_queue');
  await query('delete from receivers');
});

const query = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows;

async function insertReceiver(more: { concurrency?: number; ordered?: boolean } = {}): Promise<string> {
  return (await insertWebhook(database.db, { workspaceId, url: 'http://127.0.0.1:9/', ...more })).id;
}

/** @returns ids of `count` rows that are due, and are claimed where `worker` is given */
async function insertDue(
  receiver: string,
  count: number,
  { worker = null, ago = '1 minute' }: { worker?: string | null; ago?: string } = {},
): Promise<string[]> {
  const rows = await query(
    `insert into delivery_queue (delivery_id, workspace_id, receiver_id, event_id, position, due_at, claimed_by)
     select gen_random_uuid(), $1, $2, gen_random_uuid(), n, now() - $5::interval, $4 from generate_series(1, $3::int) n
     returning delivery_id as id`,
    [workspaceId, receiver, count, worker, ago],
  );
  await query(
    `update receivers set next_due_at = least(next_due_at, now() - $3::interval),
            in_flight = in_flight + case when $4::uuid is null then 0 else $2::int end where id = $1`,
    [receiver, count, ago, worker],
  );
  return rows.map(({ id }) => id);
}

async function startWorker(): Promise<string> {
  const id = newUuid();
  await addWorker(database.db, id, 60_000);
  return id;
}

const UNBOUNDED = { limit: 1_000, held: new Map<string, number>() };
const claimFor = (worker: string, capacity: number, share = capacity, room = UNBOUNDED) =>
  database.db.transaction().execute(async (tx) => {
    await readByIndex(tx);
    return claim(tx, worker, capacity, share, true, room);
  });

test('what another worker puts back while a claim is looking is not forgotten', async () => {
  const [one, other] = [await startWorker(), await startWorker()];
  const receiver = await insertReceiver();
  await insertDue(receiver, 1);
  const [deliveryId] = await insertDue(receiver, 1, { worker: other });
  // A claim that waits here has taken its snapshot, and not come to the receiver yet.
  await query(`
    alter table receivers rename to receivers_table;
    create function wait_for_test(uuid) returns boolean language plpgsql as $$
    begin perform pg_advisory_lock_shared(7); perform pg_advisory_unlock_shared(7); return true; end $$;
    create view receivers as select *, xmin from receivers_table where wait_for_test(id)`);
  const holder = await database.pool.connect();
  await holder.query('select pg_advisory_lock(7)');
  const claiming = claimFor(one, 10);
  try {
    await vi.waitFor(async () =>
      expect(
        await query(
          `select from pg_stat_activity where wait_event = 'advisory' and datname = current_database()`,
        ),
      ).toHaveLength(1),
    );
    // As a settling does, past the view.
    await query(
      `with again as (
         update delivery_queue set claimed_by = null, due_at = now() + interval '5 s' where delivery_id = $1
       )
       update receivers_table set in_flight = in_flight - 1, next_due_at = least(next_due_at, now() + interval '5 s')
       where id = $2`,
      [deliveryId, receiver],
    );
  } finally {
    await holder.query('select pg_advisory_unlock(7)');
    holder.release();
    expect(await claiming).toHaveLength(1);
    await query(
      'drop view receivers; drop function wait_for_test; alter table receivers_table rename to receivers',
    );
  }
  expect(await claimFor(one, 10)).toEqual([]);
  const rows = await query(
    `select r.in_flight, r.next_due_at <= q.due_at as looks from receivers r
     join delivery_queue q on q.receiver_id = r.id and q.claimed_by is null where r.id = $1`,
    [receiver],
  );
  expect(rows).toEqual([{ in_flight: 1, looks: true }]);
});

test('receivers that always have more take turns with those that come after them', async () => {
  const worker = await startWorker();
  const busy = [await insertReceiver({ concurrency: 200 }), await insertReceiver({ concurrency: 200 })];
  for (const receiver of busy) await insertDue(receiver, 100, { ago: '1 hour' });
  expect(await claimFor(worker, 20, 10)).toHaveLength(20);
  const late = await insertReceiver();
  await insertDue(late, 1, { ago: '1 millisecond' });
  // As slots get free one by one.
  const next = [
    await claimFor(worker, 1, 8),
    await claimFor(worker, 1, 8),
    await claimFor(worker, 1, 8),
  ].flat();
  expect(new Set(next.map(({ receiver_id }) => receiver_id))).toEqual(new Set([...busy, late]));
});

test('a workspace gets no more than its part, however many receivers it has, and the others get the rest', async () => {
  const worker = await startWorker();
  for (let n = 0; n < 3; n++) await insertDue(await insertReceiver(), 40, { ago: '1 hour' });
  const other = (await insertWebhook(database.db, { workspaceId: newUuid(), url: 'http://127.0.0.1:9/' })).id;
  await insertDue(other, 5);
  const capacity = { limit: 30, held: new Map([[workspaceId, 5]]) };
  const claimed = await claimFor(worker, 100, 100, capacity);
  const others = claimed.filter(({ receiver_id }) => receiver_id === other);
  expect([claimed.length, others.length]).toEqual([30, 5]);
  capacity.held.set(workspaceId, 30);
  expect(await claimFor(worker, 100, 100, capacity)).toEqual([]);
  capacity.held.set(workspaceId, 29);
  expect(await claimFor(worker, 100, 100, capacity)).toHaveLength(1);
});
