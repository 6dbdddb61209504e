/** Leases of workers: the rows that a worker has claimed belong to it while its lease lasts. */
import { sql } from 'kysely';
import type { Database, Tx } from '../../../platform/db/database.ts';
import { leaseRows } from '../../../platform/queue/lease-rows.ts';

const workers = leaseRows('delivery_workers');
export const { add: addWorker, renew: renewWorker } = workers;

/**
 * A process that freezes within a transaction of the queue loses its connection after this time in ms, and with it the
 * locks of receivers; otherwise other processes could neither send to them nor take over.
 */
export const FROZEN_MS = 3_000;

/**
 * Releases a worker's claimed rows, due immediately, and removes the worker. Rows of an endpoint that has since been
 * disabled or deleted get a wake-up, which cancels them.
 * @returns number of released rows
 */
async function release(tx: Tx, worker: string): Promise<number> {
  await sql`select set_config('idle_in_transaction_session_timeout', ${`${FROZEN_MS}ms`}, true)`.execute(tx);
  // Its row is locked first, as claims do, so that it claims nothing after this snapshot.
  await sql`select from delivery_workers where id = ${worker} for update`.execute(tx);
  await sql`
    select id from receivers where id in (select receiver_id from delivery_queue where claimed_by = ${worker})
    order by id for update
  `.execute(tx);
  const { rows } = await sql<{ count: number }>`
    with freed as (
      update delivery_queue set claimed_by = null, due_at = least(due_at, now()) where claimed_by = ${worker}
      returning workspace_id, receiver_id
    ), counted as (
      select workspace_id, receiver_id, count(*)::int as rows from freed group by workspace_id, receiver_id
    ), closed as (
      insert into receiver_wakes (workspace_id, receiver_id)
      select workspace_id, receiver_id from counted c
      where not exists (select from receivers r where r.id = c.receiver_id and r.enabled)
    ), receivers_freed as (
      update receivers r set in_flight = r.in_flight - c.rows, next_due_at = least(r.next_due_at, now())
      from counted c where r.id = c.receiver_id
    )
    select coalesce(sum(rows), 0)::int as count from counted
  `.execute(tx);
  await sql`delete from delivery_workers where id = ${worker}`.execute(tx);
  return rows[0]!.count;
}

/** For a worker that stops. */
export const removeWorker = (db: Database, id: string): Promise<number> =>
  db.transaction().execute((tx) => release(tx, id));

/** Releases the claims of workers with an expired lease. @returns number of released deliveries */
export async function takeOver(db: Database): Promise<number> {
  let released = 0;
  for (const id of await workers.over(db))
    released += await db.transaction().execute(async (tx) => {
      const { rows: still } = await sql`
        select from delivery_workers where id = ${id} and lease_until < now() for update skip locked
      `.execute(tx);
      return still.length ? release(tx, id) : 0;
    });
  return released;
}
