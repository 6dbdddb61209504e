/** Tests claims that run concurrently with changes of the same receivers, and the turns that receivers get. */
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/db.ts';
import { newUuid } from '../../../platform/http/ids.ts';
import { claim, readByIndex } from './claim.system-store.ts';
import { countSlots, type Holder } from './shares.ts';
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

async function insertReceiver(
  more: { workspaceId?: string; concurrency?: number; ordered?: boolean } = {},
): Promise<string> {
  return (await insertWebhook(database.db, { workspaceId, url: 'http://127.0.0.1:9/', ...more })).id;
}

/** @returns IDs of `count` due rows, claimed if `worker` is given */
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

const claimFor = (worker: string, free: number, sending: Holder[] = [], reserved = 0) =>
  database.db.transaction().execute(async (tx) => {
    await readByIndex(tx);
    return claim(tx, worker, countSlots(free, reserved, sending), true);
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
  const sending = await claimFor(worker, 20);
  expect(sending).toHaveLength(20);
  const late = await insertReceiver();
  await insertDue(late, 1, { ago: '1 millisecond' });
  // As slots get free one by one.
  const next: Holder[] = [];
  for (let n = 0; n < 3; n++) next.push(...(await claimFor(worker, 1, [...sending, ...next])));
  expect(new Set(next.map(({ receiver_id }) => receiver_id))).toEqual(new Set([...busy, late]));
});

/** @returns IDs of workspaces that one person owns */
async function insertOwned(count: number): Promise<string[]> {
  const owner = newUuid();
  const ids = Array.from({ length: count }, newUuid);
  await query(`insert into members (workspace_id, user_id, role) select unnest($1::uuid[]), $2, 'owner'`, [
    ids,
    owner,
  ]);
  return ids;
}

test('one person with 300 receivers that came first does not hide another, and leaves the reserve', async () => {
  const worker = await startWorker();
  for (const id of await insertOwned(3))
    for (let n = 0; n < 100; n++)
      await insertDue(await insertReceiver({ workspaceId: id }), 2, { ago: '1 hour' });
  const other = await insertReceiver({ workspaceId: newUuid() });
  await insertDue(other, 20);

  const first = await claimFor(worker, 64, [], 16);
  expect(first).toHaveLength(48);
  expect(new Set(first.map(({ person }) => person)).size).toBe(1);
  const second = await claimFor(worker, 16, first, 16);
  expect(second.map(({ receiver_id }) => receiver_id)).toEqual(Array(8).fill(other));
  // Freed slots go to persons that hold fewer.
  const third = await claimFor(worker, 20, [...first.slice(12), ...second], 16);
  expect(third.map(({ receiver_id }) => receiver_id)).toEqual(Array(4).fill(other));
});
