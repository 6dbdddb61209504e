/**
 * Requeues deliveries. The receiver is locked first, in a separate statement: its deliveries only change under that
 * lock, so later statements see their current state.
 */
import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';

/** A delivery that was tried so often is not taken up again: its counter has an end. */
export const MAX_ATTEMPTS = 10_000;

export interface Receiver {
  enabled: boolean;
  ordered: boolean;
}

/** Locks the receiver of a webhook until the transaction ends; undefined where the webhook was deleted. */
export function lockReceiver(db: Tx, workspaceId: string, webhookId: string): Promise<Receiver | undefined> {
  return db
    .selectFrom('receivers')
    .select(['enabled', 'ordered'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', webhookId)
    .forUpdate()
    .executeTakeFirst();
}

/** Makes scheduled deliveries due now. Deliveries that wait for an earlier event of their object keep waiting. */
export async function makeDueNow(db: Db, workspaceId: string, deliveryId: string): Promise<void> {
  await sql`
    with due as (
      update delivery_queue set due_at = least(due_at, now())
      where delivery_id = ${deliveryId} and workspace_id = ${workspaceId} and claimed_by is null and due_at < 'infinity'
      returning receiver_id
    )
    insert into receiver_wakes (workspace_id, receiver_id) select ${workspaceId}::uuid, receiver_id from due
  `.execute(db);
}

/** The delivery that must end before this one may begin, or null. */
export async function goesBefore(db: Db, workspaceId: string, deliveryId: string): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select head.delivery_id as id
    from delivery_queue q
    cross join lateral (
      select h.delivery_id from delivery_queue h
      where h.receiver_id = q.receiver_id and h.order_key = q.order_key
      order by h.position, h.delivery_id limit 1
    ) head
    where q.delivery_id = ${deliveryId} and q.workspace_id = ${workspaceId} and q.due_at = 'infinity'
  `.execute(db);
  const id = rows[0]?.id ?? null;
  return id === deliveryId ? null : id;
}

/**
 * Requeues completed deliveries with a new run of the schedule; those of ordered webhooks wait until they are first for
 * their object. Skips pending deliveries, those without a stored event, and those with too many attempts.
 * @returns number of requeued deliveries
 */
export async function requeue(
  db: Db,
  workspaceId: string,
  webhookId: string,
  ordered: boolean,
  deliveryIds: string[],
): Promise<number> {
  if (!deliveryIds.length) return 0;
  const { rows } = await sql<{ count: number }>`
    with chosen as materialized (
      select d.id, d.event_id, d.attempts, e.sequence, case when ${ordered} then e.resource_id end as order_key
      from unnest(${deliveryIds}::uuid[]) as wanted (id)
      join deliveries d on d.workspace_id = ${workspaceId} and d.id = wanted.id
      join events e on e.workspace_id = ${workspaceId} and e.id = d.event_id
      where d.webhook_id = ${webhookId} and d.status <> 'pending' and d.attempts < ${MAX_ATTEMPTS}
    ), queued as (
      insert into delivery_queue (delivery_id, workspace_id, receiver_id, event_id, position, order_key, attempts, due_at)
      select id, ${workspaceId}, ${webhookId}, event_id, sequence, order_key, attempts,
             case when order_key is null then now() else 'infinity' end
      from chosen
      on conflict (delivery_id) do nothing
      returning delivery_id, order_key
    ), again as (
      update deliveries d set status = 'pending', reason = null, completed_at = null, failed_as = null
      from queued where d.workspace_id = ${workspaceId} and d.id = queued.delivery_id
    ), woken as (
      insert into receiver_wakes (workspace_id, receiver_id, order_key)
      select distinct ${workspaceId}::uuid, ${webhookId}::uuid, order_key from queued
    )
    select count(*)::int as count from queued
  `.execute(db);
  return rows[0]!.count;
}
