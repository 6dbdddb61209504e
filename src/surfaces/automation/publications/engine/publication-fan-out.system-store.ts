/** Records message updates of publications, across all workspaces. */
import { sql } from 'kysely';
import type { Db } from '../../../../platform/db/database.ts';

/**
 * Records updates for the publisher.
 * @returns whether any message belongs to a publication
 */
export async function recordUpdates(
  db: Db,
  updates: readonly { workspaceId: string; messageId: string }[],
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    insert into publication_news (workspace_id, publication_id)
    select distinct r.workspace_id, r.publication_id
    from unnest(
      ${updates.map(({ workspaceId }) => workspaceId)}::uuid[], ${updates.map(({ messageId }) => messageId)}::uuid[]
    ) w (workspace_id, message_id)
    join publication_results r on r.workspace_id = w.workspace_id and r.message_id = w.message_id
  `.execute(db);
  return numAffectedRows > 0n;
}
