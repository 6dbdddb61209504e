/**
 * Reads deliveries and attempts. Every list walks an index in its order, so a page costs a few probes regardless of the
 * number of rows: pending ones are found in the queue, failures in a separate index, all others by webhook.
 *
 * Filters without an index (`event_type`, and success among failures) are applied to a window of WINDOW rows; if it is
 * full, the next page continues after it. An index by type would be one more entry to write for each delivery.
 */
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { Deliveries, DeliveryAttempts } from '../../platform/db/tables.ts';
import { type IdRange, idRange } from '../../platform/db/uuid-time.ts';
import type { Page } from '../../platform/http/pagination.ts';
import type { DeliveryStatus } from './delivery/delivery-state.ts';

const WINDOW = 20_000;
/** Claimed rows are the first due ones of their receiver; so many are looked at beyond the number claimed. */
const CLAIMED_SLACK = 5_000;

export interface DeliveryRow extends Selectable<Deliveries> {
  /** Due time of the queue row; null if there is none, or it waits for another. */
  due_at: Date | null;
  claimed: boolean;
}

export type AttemptRow = Selectable<DeliveryAttempts>;

export interface CreatedFilter {
  createdAfter?: Date;
  createdBefore?: Date;
}

export interface DeliveryFilter extends CreatedFilter {
  status?: DeliveryStatus;
  eventType?: string;
  eventId?: string;
}

export interface Found {
  rows: DeliveryRow[];
  /** Position at which the next page continues if `rows` is shorter than a page. */
  windowEnd: string | null;
}

/** The rows to look at, newest first, by the index that fits best. */
function walk(
  workspaceId: string,
  webhookId: string,
  range: IdRange,
  { status, eventId }: DeliveryFilter,
  limit: number,
): RawBuilder<unknown> {
  const ofQueue = (ids: RawBuilder<unknown>) => sql`
    select d.* from (${ids}) w
    cross join lateral (select * from deliveries d where d.workspace_id = ${workspaceId} and d.id = w.id offset 0) d`;
  if (eventId)
    return sql`
      select d.* from (
        select d.* from deliveries d
        where d.workspace_id = ${workspaceId} and d.event_id = ${eventId} and d.webhook_id = ${webhookId} offset 0
      ) d where d.id >= ${range.from} and d.id < ${range.below} order by d.id desc limit ${limit}`;
  // Ranges over all columns of an index, so that the planner uses it regardless of its statistics, even for a table
  // that grows from empty to full within a minute.
  if (status === 'pending')
    return ofQueue(sql`
      select q.delivery_id as id from delivery_queue q
      where (q.receiver_id, q.delivery_id) >= (${webhookId}, ${range.from})
        and (q.receiver_id, q.delivery_id) < (${webhookId}, ${range.below}) and q.claimed_by is null
      order by q.receiver_id desc, q.delivery_id desc limit ${limit}`);
  if (status === 'sending')
    return ofQueue(sql`
      select first.delivery_id as id from (
        select q.delivery_id, q.claimed_by from delivery_queue q
        where (q.receiver_id, q.due_at) >= (${webhookId}, '-infinity') and (q.receiver_id, q.due_at) <= (${webhookId}, 'infinity')
        order by q.receiver_id, q.due_at
        limit (select in_flight + ${sql.lit(CLAIMED_SLACK)} from receivers where id = ${webhookId})
      ) first
      where first.claimed_by is not null and first.delivery_id >= ${range.from} and first.delivery_id < ${range.below}
      order by first.delivery_id desc limit ${limit}`);
  const failed = status === 'exhausted' || status === 'canceled' ? sql`and d.failed_as = ${status}` : sql``;
  return sql`
    select d.* from deliveries d
    where d.workspace_id = ${workspaceId} and d.webhook_id = ${webhookId} ${failed}
      and d.id >= ${range.from} and d.id < ${range.below}
    order by d.id desc limit ${limit}`;
}

/** The columns that a queue row adds to its delivery. */
const QUEUED = sql`
  nullif(case when q.claimed_by is null then q.due_at end, 'infinity') as due_at, q.claimed_by is not null as claimed`;

/** Newest first, one row more than the page holds. */
export async function listDeliveries(
  db: Db,
  workspaceId: string,
  webhookId: string,
  page: Page,
  filter: DeliveryFilter,
): Promise<Found> {
  const ofType = filter.eventType ? sql`and d.event_type = ${filter.eventType}` : sql``;
  const { status } = filter;
  const stored = status === 'sending' ? 'pending' : status;
  const inStatus = stored ? sql`and d.status = ${stored}` : sql``;
  const isWindow = Boolean(filter.eventType) || status === 'succeeded' || Boolean(filter.eventId);
  const limit = isWindow ? WINDOW : page.limit + 1;
  const looked = walk(workspaceId, webhookId, idRange(page.after, filter), filter, limit);
  const claimed =
    filter.eventId && (status === 'pending' || status === 'sending') ? status === 'sending' : null;
  const inQueue = claimed === null ? sql`` : sql`where (q.claimed_by is not null) = ${claimed}`;
  const { rows } = await sql<DeliveryRow>`
    select d.*, ${QUEUED}
    from (
      select * from (${looked}) d where true ${ofType} ${inStatus} order by id desc limit ${page.limit + 1}
    ) d
    left join lateral (select * from delivery_queue q where q.delivery_id = d.id offset 0) q on d.status = 'pending'
    ${inQueue}
    order by d.id desc
  `.execute(db);
  if (!isWindow || rows.length > page.limit) return { rows, windowEnd: null };
  const end = await sql<{ id: string }>`select id from (${looked}) d offset ${WINDOW - 1}`.execute(db);
  return { rows, windowEnd: end.rows[0]?.id ?? null };
}

/** Newest first, one row more than the page holds: one for each webhook that the event goes to. */
export async function listDeliveriesOfEvent(
  db: Db,
  workspaceId: string,
  eventId: string,
  page: Page,
  filter: CreatedFilter,
): Promise<DeliveryRow[]> {
  const range = idRange(page.after, filter);
  const { rows } = await sql<DeliveryRow>`
    select d.*, ${QUEUED}
    from (
      select * from (
        select * from deliveries where workspace_id = ${workspaceId} and event_id = ${eventId} offset 0
      ) d
      where id >= ${range.from} and id < ${range.below} order by id desc limit ${page.limit + 1}
    ) d
    left join lateral (select * from delivery_queue q where q.delivery_id = d.id offset 0) q on d.status = 'pending'
    order by d.id desc
  `.execute(db);
  return rows;
}

export async function getDelivery(db: Db, workspaceId: string, id: string): Promise<DeliveryRow | undefined> {
  const { rows } = await sql<DeliveryRow>`
    select d.*, ${QUEUED}
    from deliveries d left join delivery_queue q on q.delivery_id = d.id
    where d.workspace_id = ${workspaceId} and d.id = ${id}
  `.execute(db);
  return rows[0];
}

/** Of one delivery, newest first, one row more than the page holds. */
export function listAttempts(
  db: Db,
  workspaceId: string,
  deliveryId: string,
  page: Page,
  filter: CreatedFilter,
): Promise<AttemptRow[]> {
  const range = idRange(page.after, filter);
  return db
    .selectFrom('delivery_attempts')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('delivery_id', '=', deliveryId)
    .where('id', '>=', range.from)
    .where('id', '<', range.below)
    .orderBy('id', 'desc')
    .limit(page.limit + 1)
    .execute();
}

/** Whether the webhook is there; it may be disabled. */
export async function webhookExists(db: Db, workspaceId: string, webhookId: string): Promise<boolean> {
  const row = await db
    .selectFrom('webhooks')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', webhookId)
    .executeTakeFirst();
  return row !== undefined;
}
