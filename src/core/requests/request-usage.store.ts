/** Sums of the hourly counts of requests. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { ID_PREFIXES } from '../vocabulary/nouns.ts';
import type { StatsRange } from '../api/stats-range.ts';
import type { RequestGroup } from './request-usage.schema.ts';

type ActorType = 'api_key' | 'user';

export interface RequestStatsFilter {
  /** Public ID of an API key or a person. */
  actor?: string;
  actorType?: ActorType;
  operation?: string;
}

export interface RequestSums {
  start: Date | null;
  value: string | null;
  requests: number;
  errors: number;
  duration_ms: number;
}

const VALUES: Record<Exclude<RequestGroup, 'time'>, RawBuilder<unknown>> = {
  operation: sql`operation`,
  status: sql`status_class || 'xx'`,
  actor: sql`actor`,
};

/** Whether a count is of this kind of actor. */
export const hasActorType = (type: ActorType): RawBuilder<unknown> =>
  sql`starts_with(actor, ${`${ID_PREFIXES[type]}_`})`;

/** The groups with the most requests first; intervals without requests are left out. */
export async function sumRequests(
  db: Db,
  workspaceId: string,
  { from, to, interval }: StatsRange,
  groupBy: RequestGroup,
  { actor, actorType, operation }: RequestStatsFilter,
): Promise<RequestSums[]> {
  const group =
    groupBy === 'time'
      ? sql`date_trunc(${sql.lit(interval)}, hour, 'UTC') as start, null as value`
      : sql`null::timestamptz as start, ${VALUES[groupBy]} as value`;
  const { rows } = await sql<RequestSums>`
    select ${group}, sum(requests)::float8 as requests,
           coalesce(sum(requests) filter (where status_class >= 4), 0)::float8 as errors,
           sum(duration_ms)::float8 as duration_ms
    from request_stats
    where workspace_id = ${workspaceId} and hour >= ${from} and hour < ${to}
      ${actor === undefined ? sql`` : sql`and actor = ${actor}`}
      ${actorType === undefined ? sql`` : sql`and ${hasActorType(actorType)}`}
      ${operation === undefined ? sql`` : sql`and operation = ${operation}`}
    group by 1, 2 order by 3 desc, 2
  `.execute(db);
  return rows;
}
