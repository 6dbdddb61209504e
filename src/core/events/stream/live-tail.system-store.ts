/** Reads new events of all followed workspaces in one query. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import type { EventRow } from '../event.store.ts';

export interface Position {
  workspaceId: string;
  sequence: number;
}

/** The newest sequence of each workspace that has any. */
export async function lastSequences(db: Db, workspaceIds: string[]): Promise<Position[]> {
  return db
    .selectFrom('workspace_sequences')
    .select(['workspace_id as workspaceId', 'last_sequence as sequence'])
    .where('workspace_id', '=', sql<string>`any (${workspaceIds}::uuid[])`)
    .execute();
}

/** Up to `limit` events beyond each position, in order of workspace and sequence. */
export async function rowsBeyond(db: Db, positions: Position[], limit: number): Promise<EventRow[]> {
  const { rows } = await sql<EventRow>`
    select e.*
    from unnest(${positions.map((p) => p.workspaceId)}::uuid[], ${positions.map((p) => p.sequence)}::bigint[])
      as at (workspace_id, sequence)
    cross join lateral (
      select id, workspace_id, sequence, type, resource_id, data, truncated, chain, created_at from events
      where events.workspace_id = at.workspace_id and events.sequence > at.sequence
      order by events.sequence limit ${limit}
    ) e
    order by e.workspace_id, e.sequence
  `.execute(db);
  return rows;
}
