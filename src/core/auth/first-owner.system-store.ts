/** Whom a workspace counts for. */
import type { Db } from '../../platform/db/database.ts';

/**
 * Returns whom a workspace counts for where persons share something: its first owner, so that all workspaces of one
 * person count as one; the workspace itself if it has none.
 */
export async function findFirstOwner(db: Db, workspaceId: string): Promise<string> {
  const row = await db
    .selectFrom('members')
    .select('user_id')
    .where('workspace_id', '=', workspaceId)
    .where('role', '=', 'owner')
    .orderBy('created_at')
    .orderBy('user_id')
    .limit(1)
    .executeTakeFirst();
  return row?.user_id ?? workspaceId;
}
