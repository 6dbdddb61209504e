/** The input of a replay: deliveries by ID, then events by sequence, one window at a time. */
import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import { passesFilters } from './delivery/matching.ts';

const NIL = '00000000-0000-0000-0000-000000000000';

/** Bounds of uuids that hold a time: from `first` on, below `end`. */
export interface IdSpan {
  first: string;
  end: string;
}

export interface Seen {
  id: string;
  /** Whether it has a status that was asked for, and its event lies in the span. */
  wanted: boolean;
}

/**
 * Deliveries of a webhook beyond `after` up to `through`, in order, at most `limit`. Where success is not asked for, only
 * failures are walked through.
 */
export async function deliveriesAfter(
  db: Db,
  workspaceId: string,
  webhookId: string,
  walk: { after: string; through: string; limit: number },
  statuses: string[],
  events: IdSpan,
): Promise<Seen[]> {
  const inWalk = sql`
    d.workspace_id = ${workspaceId} and d.webhook_id = ${webhookId} and d.id > ${walk.after} and d.id <= ${walk.through}`;
  const all = sql`select d.* from deliveries d where ${inWalk} order by d.id limit ${walk.limit}`;
  const failures = sql`
    select f.* from unnest(${statuses}::text[]) as wanted (status)
    cross join lateral (
      select d.* from deliveries d where ${inWalk} and d.failed_as = wanted.status
      order by d.id limit ${walk.limit}
    ) f`;
  const { rows } = await sql<Seen>`
    select w.id, w.status = any (${statuses}::text[]) and w.event_id >= ${events.first} and w.event_id < ${events.end} as wanted
    from (${statuses.includes('succeeded') ? all : failures}) w order by w.id limit ${walk.limit}
  `.execute(db);
  return rows;
}

/**
 * Makes deliveries of a webhook that wait for a retry due now, by ID beyond `after` up to `through`, at most `limit`. Those
 * that wait for an earlier event of their object keep waiting. The receiver must be locked.
 * @returns how many are due now, and the ID to go on after; null at the end
 */
export async function makeWaitingDue(
  db: Tx,
  workspaceId: string,
  webhookId: string,
  walk: { after: string | null; through: string; limit: number },
  events: IdSpan,
): Promise<{ count: number; last: string | null }> {
  const { rows } = await sql<{ count: number; last: string | null }>`
    with walked as materialized (
      select delivery_id, event_id, due_at, claimed_by from delivery_queue
      where receiver_id = ${webhookId} and workspace_id = ${workspaceId} 
        and delivery_id > coalesce(${walk.after}::uuid, ${NIL}) and delivery_id <= ${walk.through}
      order by delivery_id limit ${walk.limit}
    ), due as (
      update delivery_queue q set due_at = now() from walked w
      where q.delivery_id = w.delivery_id and w.claimed_by is null and w.due_at > now() and w.due_at < 'infinity'
        and w.event_id >= ${events.first} and w.event_id < ${events.end}
      returning q.delivery_id
    ), woken as (
      insert into receiver_wakes (workspace_id, receiver_id)
      select ${workspaceId}::uuid, ${webhookId}::uuid where exists (select from due)
    )
    select (select count(*)::int from due) as count,
           (select max(delivery_id::text) from walked having count(*) = ${walk.limit}) as last
  `.execute(db);
  return rows[0]!;
}

export interface LogEntry {
  id: string;
  type: string;
  sequence: number;
  resource_id: string | null;
  /** Whether the webhook wants it and has no delivery of it. */
  missing: boolean;
}

/**
 * Events of a workspace beyond `after`, in order, at most `limit`. A ping is for the webhook that it was asked for, and
 * never missing.
 * @param oldestDelivery deliveries of these events have no lower ID
 */
export async function eventsAfter(
  db: Db,
  workspaceId: string,
  webhookId: string,
  walk: { after: number; limit: number },
  events: IdSpan,
  oldestDelivery: string,
): Promise<LogEntry[]> {
  const { rows } = await sql<LogEntry>`
    select e.id, e.type, e.sequence, e.resource_id,
           e.type <> 'ping' and exists (
             select from webhook_subscriptions s
             where s.workspace_id = ${workspaceId} and s.webhook_id = ${webhookId}
               and s.pattern = any (array['*', e.type, split_part(e.type, '.', 1) || '.*']) and ${passesFilters('e', 's')}
           ) and not exists (
             select from deliveries d
             where d.workspace_id = ${workspaceId} and d.event_id = e.id and d.webhook_id = ${webhookId}
               and d.id >= ${oldestDelivery}
           ) as missing
    from (
      select e.* from events e
      where e.workspace_id = ${workspaceId} and e.sequence > ${walk.after} and e.id >= ${events.first} and e.id < ${events.end}
      order by e.sequence limit ${walk.limit}
    ) e
    order by e.sequence
  `.execute(db);
  return rows;
}
