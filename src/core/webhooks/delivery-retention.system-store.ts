/** Deletes expired rows, across workspaces. */
import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';

const MAX_RECEIVERS = 100;

/** Receivers with unclaimed rows of deliveries below `id`, beyond `after`, in order. */
export async function receiversWaiting(db: Database, id: string, after: string): Promise<string[]> {
  const { rows } = await sql<{ receiver_id: string }>`
    select distinct receiver_id from delivery_queue
    where delivery_id < ${id} and receiver_id > ${after} and claimed_by is null
    order by receiver_id limit ${MAX_RECEIVERS}
  `.execute(db);
  return rows.map(({ receiver_id }) => receiver_id);
}

/**
 * Removes up to `limit` unclaimed rows of an endpoint from the queue, under its lock, and wakes the rows that were
 * ordered behind them.
 * @returns number of removed rows
 */
export function dropWaiting(db: Database, receiverId: string, id: string, limit: number): Promise<number> {
  return db.transaction().execute(async (tx) => {
    await sql`select from receivers where id = ${receiverId} for update`.execute(tx);
    const { rows } = await sql<{ count: number }>`
      with gone as (
        delete from delivery_queue where delivery_id = any (array(
          select delivery_id from delivery_queue
          where receiver_id = ${receiverId} and delivery_id < ${id} and claimed_by is null limit ${limit}
        ))
        returning workspace_id, receiver_id, order_key
      ), woken as (
        insert into receiver_wakes (workspace_id, receiver_id, order_key)
        select distinct workspace_id, receiver_id, order_key from gone where order_key is not null
      )
      select count(*)::int as count from gone
    `.execute(tx);
    return rows[0]!.count;
  });
}

export async function deleteStray(db: Database, cutoff: string): Promise<void> {
  await sql`delete from deliveries_default where id < ${cutoff}`.execute(db);
}
