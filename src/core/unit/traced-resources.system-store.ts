/**
 * The traces of messages, links and publications, across workspaces: what happens to them later, such as a receipt or a
 * click, continues the trace in which they were created. Rows are written for sampled traces only.
 */
import { type RawBuilder, sql } from 'kysely';
import { deleteBefore, inBatches } from '../../platform/db/batches.ts';
import type { Database, Db } from '../../platform/db/database.ts';
import { DAY_MS } from '../../platform/db/partitions.ts';

const KEPT_DAYS = 7;
const BATCH = 2_000;

export interface TracedResource {
  workspaceId: string;
  /** Public ID. */
  resourceId: string;
  traceparent: string;
}

/** Builds the statement that stores the last span of each object. */
export const saveTraces = (traces: readonly TracedResource[]): RawBuilder<unknown> => sql`
  insert into traced_resources (workspace_id, resource_id, traceparent)
  select distinct on (workspace_id, resource_id) * from unnest(
    ${traces.map(({ workspaceId }) => workspaceId)}::uuid[], ${traces.map(({ resourceId }) => resourceId)}::text[],
    ${traces.map(({ traceparent }) => traceparent)}::text[]
  ) as t (workspace_id, resource_id, traceparent)
  order by workspace_id, resource_id
  on conflict (workspace_id, resource_id) do update set traceparent = excluded.traceparent
`;

/** @returns traceparents by public ID; objects of traces that aren't sampled are left out */
export async function loadTraces(
  db: Db,
  resources: readonly Omit<TracedResource, 'traceparent'>[],
): Promise<Map<string, string>> {
  if (!resources.length) return new Map();
  const { rows } = await sql<{ resource_id: string; traceparent: string }>`
    select t.resource_id, t.traceparent
    from unnest(
      ${resources.map(({ workspaceId }) => workspaceId)}::uuid[], ${resources.map(({ resourceId }) => resourceId)}::text[]
    ) as r (workspace_id, resource_id)
    join traced_resources t on t.workspace_id = r.workspace_id and t.resource_id = r.resource_id
  `.execute(db);
  return new Map(rows.map((row) => [row.resource_id, row.traceparent]));
}

/** Deletes traces after a week. @returns the number deleted */
export const deleteOldTraces = (db: Database, now: Date, signal?: AbortSignal): Promise<number> =>
  inBatches(
    BATCH,
    (max) =>
      deleteBefore(db, 'traced_resources', 'created_at', new Date(now.getTime() - KEPT_DAYS * DAY_MS), max),
    signal,
  );
