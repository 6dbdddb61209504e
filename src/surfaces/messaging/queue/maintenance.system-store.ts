/** Queue maintenance that needs no connection: finds due queues across workspaces and takes their rows. */
import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';

export interface Queue {
  workspace_id: string;
  instance_id: string;
}

/**
 * Rows that no connection will process: unclaimed, or with a holder that is gone. Claimed rows may have reached the
 * channel.
 */
const IS_LEFT = sql`(
  q.claimed_epoch is null or not exists (
    select from connections c join connection_nodes n on n.id = c.node_id
    where c.instance_id = q.instance_id and c.epoch = q.claimed_epoch and n.lease_until > clock_timestamp()
  )
)`;

/** A deleted instance has no queue any more; its remaining rows are deleted by its erasure and block nothing. */
const hasQueue = (row: 'q' | 's') =>
  sql`exists (select from instance_queues iq where iq.instance_id = ${sql.ref(`${row}.instance_id`)})`;

/** Finds queues with expired rows. */
export async function queuesWithExpired(db: Db, limit: number): Promise<Queue[]> {
  const { rows } = await sql<Queue>`
    select distinct workspace_id, instance_id from (
      select q.workspace_id, q.instance_id from send_queue q where q.expires_at <= now() and ${IS_LEFT} and ${hasQueue('q')} order by q.expires_at limit ${limit}
    ) expired
  `.execute(db);
  return rows;
}

/** Finds queues that were cleared. */
export async function queuesToClear(db: Db, limit: number): Promise<Queue[]> {
  const { rows } = await sql<Queue>`
    select workspace_id, instance_id from instance_queues where cleared_through > 0 limit ${limit}
  `.execute(db);
  return rows;
}

/** Finds queues with due scheduled messages. A queue with very many of them does not hide others. */
export async function queuesWithScheduled(db: Db, limit: number): Promise<Queue[]> {
  const { rows } = await sql<Queue & { count: number }>`
    select workspace_id, instance_id, count(*)::int as count from (
      select s.workspace_id, s.instance_id from scheduled_messages s
      where s.due_at <= now() and ${hasQueue('s')} order by s.due_at limit ${limit}
    ) due group by 1, 2
  `.execute(db);
  if (rows.reduce((sum, { count }) => sum + count, 0) < limit) return rows;
  return eachWithScheduled(db);
}

/** Does the same for all instances with scheduled messages, with one index probe each, however many are due. */
async function eachWithScheduled(db: Db): Promise<Queue[]> {
  const { rows } = await sql<Queue>`
    with recursive instances (id) as (
      (select instance_id from scheduled_messages order by instance_id limit 1)
      union all
      select (
        select s.instance_id from scheduled_messages s where s.instance_id > instances.id order by s.instance_id limit 1
      ) from instances where instances.id is not null
    )
    select iq.workspace_id, iq.instance_id from instances
    join instance_queues iq on iq.instance_id = instances.id
    where exists (select from scheduled_messages s where s.instance_id = instances.id and s.due_at <= now())
  `.execute(db);
  return rows;
}

export interface RemovedRow {
  id: string;
  workspace_id: string;
  chat_id: string | null;
  message_id: string | null;
  action: string;
  payload: { job_id?: string } | null;
  /** Whether the channel may have accepted it. */
  uncertain: boolean;
}

const TAKEN = sql`q.id, q.workspace_id, q.chat_id, q.message_id, q.action, q.payload, q.uncertain or q.claimed_epoch is not null as uncertain`;
const COUNTED = sql`
  update instance_queues iq set length = iq.length - (select count(*)::int from gone where action = 'send')
  where iq.instance_id = (select instance_id from gone limit 1)
`;

/** Removes expired rows. Call after `lockQueue`. */
export async function takeExpired(tx: Tx, { instance_id: id }: Queue, limit: number): Promise<RemovedRow[]> {
  const { rows } = await sql<RemovedRow>`
    with expired as materialized (
      select q.id, q.claimed_epoch from send_queue q
      where q.instance_id = ${id} and q.expires_at <= now() and ${IS_LEFT}
      order by q.position limit ${limit}
    ), gone as (
      -- A taker may claim it in this moment: then it is left to that one.
      delete from send_queue q using expired e where q.id = e.id and q.claimed_epoch is not distinct from e.claimed_epoch
      returning q.instance_id, ${TAKEN}
    ), counted as (${COUNTED})
    select * from gone
  `.execute(tx);
  return rows;
}

/**
 * Waits for running claims of an instance, and blocks new ones until the commit. Call before `lockQueue`, because this
 * lock comes first in the lock order.
 */
export async function keepFromClaims(tx: Tx, workspaceId: string, instanceId: string): Promise<void> {
  await sql`
    select from connections where instance_id = ${instanceId} and workspace_id = ${workspaceId} for no key update
  `.execute(tx);
}

/**
 * Marks all currently waiting rows as cleared: after the commit none of them is claimed.
 * @returns the number of messages, without those in progress or possibly sent; exact after `keepFromClaims`
 */
export async function markCleared(db: Db, workspaceId: string, instanceId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with marked as (
      update instance_queues set cleared_through = last_position where workspace_id = ${workspaceId} and instance_id = ${instanceId}
      returning cleared_through
    )
    select count(*)::int as count from send_queue
    where instance_id = ${instanceId} and action = 'send' and claimed_epoch is null and not uncertain
      and position <= (select cleared_through from marked)
  `.execute(db);
  return rows[0]!.count;
}

/**
 * Removes a batch of cleared rows; the mark is removed with the last one. Call after `lockQueue`.
 * @returns fewer than `limit` if nothing is left
 */
export async function takeCleared(tx: Tx, { instance_id: id }: Queue, limit: number): Promise<RemovedRow[]> {
  const { rows } = await sql<RemovedRow>`
    with cleared as materialized (
      select q.id from send_queue q join instance_queues iq on iq.instance_id = q.instance_id
      where q.instance_id = ${id} and q.position <= iq.cleared_through and q.claimed_epoch is null and not q.uncertain
      order by q.position limit ${limit} for update of q
    ), gone as (
      delete from send_queue q using cleared c where q.id = c.id returning q.instance_id, ${TAKEN}
    ), counted as (
      update instance_queues iq set length = iq.length - (select count(*)::int from gone where action = 'send'),
        cleared_through = case when (select count(*) from cleared) < ${limit} then 0 else iq.cleared_through end
      where iq.instance_id = ${id}
    )
    select * from gone
  `.execute(tx);
  return rows;
}

/** Removes due messages from the schedule. Call after `lockQueue`. @returns their IDs, earliest first */
export async function takeScheduled(tx: Tx, { instance_id: id }: Queue, limit: number): Promise<string[]> {
  const { rows } = await sql<{ message_id: string }>`
    with due as materialized (
      select message_id from scheduled_messages where instance_id = ${id} and due_at <= now() order by due_at limit ${limit}
    ), gone as (
      delete from scheduled_messages s using due where s.message_id = due.message_id returning s.message_id, s.due_at
    )
    select message_id from gone order by due_at, message_id
  `.execute(tx);
  return rows.map((row) => row.message_id);
}

export async function getTtl(
  db: Db,
  { workspace_id: workspaceId, instance_id: id }: Queue,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('instances')
    .select('queue_ttl_seconds')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.queue_ttl_seconds;
}
