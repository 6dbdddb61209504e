/** Sums of hourly counts. Each reads a range of a roll-up's key, so its cost does not depend on the number of rows counted. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { hasActorType } from '../requests/request-usage.store.ts';
import type { StatsRange } from '../api/stats-range.ts';

interface Bucket {
  start: Date;
}
export type MessageCounts = Bucket & { inbound: number; outbound: number; failed: number };
export type ClickCounts = Bucket & { clicks: number };
export type DeliveryCounts = Bucket & { succeeded: number; failed: number };
export type RequestCounts = Bucket & { requests: number; errors: number };

/** The start of the interval of a row, as `start`. */
export const start = (column: string, { interval }: StatsRange) =>
  sql`date_trunc(${sql.lit(interval)}, ${sql.ref(column)}, 'UTC') as start`;
/** Whether a row is in the range. */
export const within = (column: string, { from, to }: StatsRange) =>
  sql`${sql.ref(column)} >= ${from} and ${sql.ref(column)} < ${to}`;

export async function countMessages(
  db: Db,
  workspaceId: string,
  range: StatsRange,
): Promise<MessageCounts[]> {
  const { rows } = await sql<MessageCounts>`
    select ${start('hour', range)}, sum(inbound)::float8 as inbound, sum(outbound)::float8 as outbound,
           sum(failed)::float8 as failed
    from message_stats where workspace_id = ${workspaceId} and ${within('hour', range)} group by 1
  `.execute(db);
  return rows;
}

/** Clicks by people on all links. The roll-ups of a workspace have its ID as their scope. */
export async function countClicks(db: Db, workspaceId: string, range: StatsRange): Promise<ClickCounts[]> {
  const { rows } = await sql<ClickCounts>`
    select ${start('bucket', range)}, sum(clicks)::float8 as clicks
    from click_rollups
    where workspace_id = ${workspaceId} and scope_id = ${workspaceId} and resolution = 'h' and ${within('bucket', range)}
    group by 1
  `.execute(db);
  return rows;
}

export async function countDeliveries(
  db: Db,
  workspaceId: string,
  range: StatsRange,
): Promise<DeliveryCounts[]> {
  const { rows } = await sql<DeliveryCounts>`
    select ${start('hour', range)}, sum(succeeded)::float8 as succeeded, sum(failed)::float8 as failed
    from webhook_stats where workspace_id = ${workspaceId} and ${within('hour', range)} group by 1
  `.execute(db);
  return rows;
}

/** Requests of API keys. The console shows people the errors of their own. */
export async function countRequests(
  db: Db,
  workspaceId: string,
  range: StatsRange,
): Promise<RequestCounts[]> {
  const { rows } = await sql<RequestCounts>`
    select ${start('hour', range)}, sum(requests)::float8 as requests,
           coalesce(sum(requests) filter (where status_class >= 4), 0)::float8 as errors
    from request_stats
    where workspace_id = ${workspaceId} and ${within('hour', range)} and ${hasActorType('api_key')} group by 1
  `.execute(db);
  return rows;
}
