/**
 * Reading deliveries and attempts. Every list walks an index that has its order, so a page costs some probes however
 * many rows there are: what waits is found in the queue, failures in an index of their own, all else by webhook.
 *
 * What no index is about (`event_type`, and success among failures) is looked for in a window of WINDOW rows; where
 * that is full, the page goes on behind it. An index by type would be one more entry to write for each delivery.
 */
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Queryable } from '../db/database.ts';
import type { Deliveries, DeliveryAttempts } from '../db/tables.ts';
import { firstUuidAt } from '../db/uuid-time.ts';
import type { Page } from '../http/pagination.ts';
import type { DeliveryStatus } from './delivery/delivery-state.ts';

export const WINDOW = 20_000;
/** Claimed rows are the first due ones of their receiver; so many are looked at beyond the number claimed. */
const CLAIMED_SLACK = 5_000;

export interface DeliveryRow extends Selectable<Deliveries> {
  /** Of its row in the queue; null where there is none, or it waits for another. */
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
  /** Where the page goes on although `rows` are fewer than it holds. */
  windowEnd: string | null;
}

/** An id holds the time that its row was made. */
function within(id: string, page: Page, { createdAfter, createdBefore }: CreatedFilter): RawBuilder<unknown> {
  const column = sql.ref(id);
  const after = createdAfter && firstUuidAt(new Date(createdAfter.getTime() + 1));
  const before = createdBefore && firstUuidAt(createdBefore);
  return sql`${page.after ? sql`and ${column} < ${page.after}` : sql``} ${after ? sql`and ${column} >= ${after}` : sql``} ${before ? sql`and ${column} < ${before}` : sql``}`;
}

/** The ids to look at, newest first, by the index that fits best. */
function walk(
  workspaceId: string,
  webhookId: string,
  page: Page,
  filter: DeliveryFilter,
  limit: number,
): RawBuilder<unknown> {
  const bounds = within('d.id', page, filter);
  const inQueue = sql`q.receiver_id = ${webhookId} and q.workspace_id = ${workspaceId}`;
  const ofWebhook = sql`d.workspace_id = ${workspaceId} and d.webhook_id = ${webhookId}`;
  if (filter.eventId)
    return sql`
      select d.id from (
        select d.id from deliveries d
        where d.workspace_id = ${workspaceId} and d.event_id = ${filter.eventId} and d.webhook_id = ${webhookId} offset 0
      ) d where true ${bounds} order by d.id desc limit ${limit}`;
  if (filter.status === 'pending')
    return sql`
      select q.delivery_id as id from delivery_queue q
      where ${inQueue} and q.claimed_by is null ${within('q.delivery_id', page, filter)}
      order by q.delivery_id desc limit ${limit}`;
  if (filter.status === 'sending')
    return sql`
      select d.id from (
        select first.delivery_id as id from (
          select q.delivery_id, q.claimed_by from delivery_queue q where ${inQueue} order by q.due_at
          limit (select in_flight + ${sql.lit(CLAIMED_SLACK)} from receivers where id = ${webhookId})
        ) first where first.claimed_by is not null
      ) d where true ${bounds} order by d.id desc limit ${limit}`;
  if (filter.status === 'exhausted' || filter.status === 'canceled')
    return sql`
      select d.id from deliveries d
      where ${ofWebhook} and d.failed_at is not null and d.status = ${filter.status} ${bounds}
      order by d.id desc limit ${limit}`;
  return sql`select d.id from deliveries d where ${ofWebhook} ${bounds} order by d.id desc limit ${limit}`;
}

/** What a row in the queue adds to its delivery. */
const QUEUED = sql`
  nullif(case when q.claimed_by is null then q.due_at end, 'infinity') as due_at, q.claimed_by is not null as claimed`;

/** Newest first, one row more than the page holds. */
export async function listDeliveries(
  db: Queryable,
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
  const most = isWindow ? WINDOW : page.limit + 1;
  const ids = walk(workspaceId, webhookId, page, filter, most);
  const claimed =
    filter.eventId && (status === 'pending' || status === 'sending') ? status === 'sending' : null;
  const inQueue = claimed === null ? sql`` : sql`and (q.claimed_by is not null) = ${claimed}`;
  const { rows } = await sql<DeliveryRow>`
    select d.*, ${QUEUED}
    from (${ids}) w
    join lateral (select * from deliveries d where d.workspace_id = ${workspaceId} and d.id = w.id offset 0) d on true
    left join lateral (select * from delivery_queue q where q.delivery_id = w.id offset 0) q on true
    where true ${ofType} ${inStatus} ${inQueue}
    order by w.id desc limit ${page.limit + 1}
  `.execute(db);
  if (!isWindow || rows.length > page.limit) return { rows, windowEnd: null };
  const end = await sql<{ id: string }>`select w.id from (${ids}) w offset ${WINDOW - 1}`.execute(db);
  return { rows, windowEnd: end.rows[0]?.id ?? null };
}

export async function getDelivery(
  db: Queryable,
  workspaceId: string,
  id: string,
): Promise<DeliveryRow | undefined> {
  const { rows } = await sql<DeliveryRow>`
    select d.*, ${QUEUED}
    from deliveries d left join delivery_queue q on q.delivery_id = d.id
    where d.workspace_id = ${workspaceId} and d.id = ${id}
  `.execute(db);
  return rows[0];
}

/** Of one delivery, newest first, one row more than the page holds. */
export function listAttempts(
  db: Queryable,
  workspaceId: string,
  deliveryId: string,
  page: Page,
  filter: CreatedFilter,
): Promise<AttemptRow[]> {
  return db
    .selectFrom('delivery_attempts')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('delivery_id', '=', deliveryId)
    .where(sql<boolean>`true ${within('delivery_attempts.id', page, filter)}`)
    .orderBy('id', 'desc')
    .limit(page.limit + 1)
    .execute();
}

/** Whether the webhook is there; it may be disabled. */
export async function webhookExists(db: Queryable, workspaceId: string, webhookId: string): Promise<boolean> {
  const row = await db
    .selectFrom('webhooks')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', webhookId)
    .executeTakeFirst();
  return row !== undefined;
}
