/** Reads publications that are in the queue, and completes those that waited for a model. */
import { sql } from 'kysely';
import type { Tx } from '../../../platform/db/database.ts';
import { storableJson } from '../../../core/unit/event-payload.ts';
import { getPublication, type InputRow, type PublicationRow } from './records/publication.store.ts';
import { getBucket } from './records/receive.store.ts';

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

/**
 * Stores the messages of the destinations, and makes the publication due.
 * @param dueAt null for immediately, by the database clock
 */
export async function storeAnswered(
  db: Tx,
  { workspace_id: workspaceId, id }: Pick<PublicationRow, 'workspace_id' | 'id'>,
  { messages, faults }: Pick<InputRow, 'messages' | 'faults'>,
  dueAt: Date | null,
): Promise<void> {
  await sql`
    with input as (
      update publication_inputs
      set messages = ${storableJson(messages)}::jsonb, faults = ${faults && storableJson(faults)}::jsonb
      where workspace_id = ${workspaceId} and publication_id = ${id}
    )
    update publication_queue set due_at = coalesce(${dueAt}::timestamptz, now()) where publication_id = ${id}
  `.execute(db);
}
