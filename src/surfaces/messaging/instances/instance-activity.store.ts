/** Sums of the hourly counts of an instance. Each reads a range of their key. */
import { sql } from 'kysely';
import { type MessageCounts, start, within } from '../../../core/activity/activity.store.ts';
import type { StatsRange } from '../../../core/api/stats-range.ts';
import type { Db } from '../../../platform/db/database.ts';

const ofInstance = (workspaceId: string, instanceId: string, range: StatsRange) =>
  sql`from instance_stats where workspace_id = ${workspaceId} and instance_id = ${instanceId} and ${within('hour', range)}`;

export async function countMessages(
  db: Db,
  workspaceId: string,
  instanceId: string,
  range: StatsRange,
): Promise<MessageCounts[]> {
  const { rows } = await sql<MessageCounts>`
    select ${start('hour', range)}, sum(inbound)::float8 as inbound, sum(outbound)::float8 as outbound,
           sum(failed)::float8 as failed
    ${ofInstance(workspaceId, instanceId, range)} group by 1
  `.execute(db);
  return rows;
}

/** Counts failed messages by error code, most frequent first. */
export async function countFailures(
  db: Db,
  workspaceId: string,
  instanceId: string,
  range: StatsRange,
  limit: number,
): Promise<{ code: string; count: number }[]> {
  const { rows } = await sql<{ code: string; count: number }>`
    select error_code as code, sum(failed)::float8 as count
    ${ofInstance(workspaceId, instanceId, range)} and error_code <> ''
    group by 1 order by 2 desc, 1 limit ${limit}
  `.execute(db);
  return rows;
}
