/**
 * Adds deliveries to the queue, across workspaces. Inserting takes no locks: a row in `receiver_wakes` notifies the
 * claimers, who alone change queued rows (claim.system-store.ts).
 */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';

export interface NewDelivery {
  /** UUIDv7, made now. */
  id: string;
  workspace_id: string;
  webhook_id: string;
  event_id: string;
  event_type: string;
  /** Sequence of the event. */
  position: number;
  /** The object whose order it must keep; null if it is due immediately. */
  order_key: string | null;
}

/** Inserts deliveries that are due now, in one statement. Ordered ones wait until a claimer finds them first. */
export async function insertDeliveries(db: Db, deliveries: NewDelivery[]): Promise<void> {
  if (!deliveries.length) return;
  const column = (name: keyof NewDelivery) => deliveries.map((delivery) => delivery[name]);
  await sql`
    with new as (
      select * from unnest(
        ${column('id')}::uuid[], ${column('workspace_id')}::uuid[], ${column('webhook_id')}::uuid[],
        ${column('event_id')}::uuid[], ${column('event_type')}::text[], ${column('position')}::bigint[],
        ${column('order_key')}::text[]
      ) as new (id, workspace_id, webhook_id, event_id, event_type, position, order_key)
    ), told as (
      insert into deliveries (workspace_id, id, webhook_id, event_id, event_type, created_at)
      select workspace_id, id, webhook_id, event_id, event_type, now() from new
    ), queued as (
      insert into delivery_queue (delivery_id, workspace_id, receiver_id, event_id, position, order_key, due_at)
      select id, workspace_id, webhook_id, event_id, position, order_key,
             case when order_key is null then now() else 'infinity' end
      from new
    )
    insert into receiver_wakes (workspace_id, receiver_id, order_key)
    select distinct workspace_id, webhook_id, order_key from new
  `.execute(db);
}

/** For a caller's own transaction, after a change that may make something due or end it. */
export async function wakeEndpoint(db: Db, workspaceId: string, receiverId: string): Promise<void> {
  await sql`insert into receiver_wakes (workspace_id, receiver_id) values (${workspaceId}, ${receiverId})`.execute(
    db,
  );
}

/**
 * Resumes the rest of the queue of a receiver that is enabled again. Call under its lock. While it was disabled,
 * wake-ups of ordered rows may have been processed before the rows were canceled.
 */
export async function wakeWaitingDeliveries(db: Db, workspaceId: string, receiverId: string): Promise<void> {
  await sql`
    insert into receiver_wakes (workspace_id, receiver_id, order_key)
    select ${workspaceId}::uuid, ${receiverId}::uuid, null
    union
    select ${workspaceId}, ${receiverId}, order_key from delivery_queue
    where receiver_id = ${receiverId} and due_at = 'infinity'
  `.execute(db);
}
