/** Erasures of all workspaces that are not done. */
import type { Db } from '../../../platform/db/database.ts';

/** Reads contacts that were erased before a time, oldest first, at most `limit`. */
export async function erasuresBefore(
  db: Db,
  before: Date,
  limit: number,
): Promise<{ workspaceId: string; erasureId: string }[]> {
  const rows = await db
    .selectFrom('contact_erasures')
    .innerJoin('workspaces', 'workspaces.id', 'contact_erasures.workspace_id')
    .select(['contact_erasures.workspace_id', 'contact_erasures.id'])
    .where('contact_erasures.created_at', '<', before)
    .where('workspaces.deleted_at', 'is', null)
    .orderBy('contact_erasures.created_at')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ workspaceId: row.workspace_id, erasureId: row.id }));
}
