/** Reads publications that are in the queue. */
import { sql } from 'kysely';
import type { Tx } from '../../../platform/db/database.ts';
import { getPublication, type PublicationRow } from './publication.store.ts';
import { getBucket } from './receive.store.ts';

/** Locks some queued publications of an endpoint, ordered by ID, and reads their current state. */
export async function lockQueuedOfEndpoint(
  db: Tx,
  workspaceId: string,
  endpointId: string,
  limit: number,
): Promise<PublicationRow[]> {
  const { rows } = await sql<{ id: string }>`
    select publication_id as id from publication_queue
    where bucket = ${getBucket(endpointId)} and endpoint_id = ${endpointId} and workspace_id = ${workspaceId}
    order by due_at limit ${limit}
  `.execute(db);
  const ids = rows.map(({ id }) => id);
  if (!ids.length) return [];
  await sql`
    select 1 from publications where workspace_id = ${workspaceId} and id = any(${ids}::uuid[]) order by id for update
  `.execute(db);
  const found: PublicationRow[] = [];
  for (const id of ids) {
    const row = await getPublication(db, workspaceId, id);
    if (row) found.push(row);
  }
  return found;
}
