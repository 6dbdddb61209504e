/** Loads the events of claimed rows across all workspaces. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { EventRow } from './event.store.ts';

export interface LoadedEvent extends EventRow {
  /** W3C traceparent of the sampled span that caused it. */
  traceparent: string | null;
}

/** Loads events by ID. Events that are no longer stored are left out. */
export async function loadEvents(
  db: Db,
  wanted: readonly { workspace_id: string; event_id: string }[],
): Promise<Map<string, LoadedEvent>> {
  const ids = wanted.map(({ event_id }) => event_id);
  const { rows } = await sql<LoadedEvent>`
    select e.id, e.workspace_id, e.sequence, e.type, e.resource_id, e.data, e.truncated, e.chain, e.traceparent, e.created_at
    from (
      select distinct * from unnest(${wanted.map(({ workspace_id }) => workspace_id)}::uuid[], ${ids}::uuid[])
        as w (workspace_id, event_id)
    ) w
    join events e on e.workspace_id = w.workspace_id and e.id = w.event_id
    where e.id = any (${ids}::uuid[]) -- one that waited long has many between it and the others
  `.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}
