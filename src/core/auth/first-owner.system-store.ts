/** Finds the person that a workspace's load counts toward. */
import type { Db } from '../../platform/db/database.ts';

/**
 * Returns the owner that a workspace counts toward in limits shared between persons: its first owner, so that all
 * workspaces of a person count together; the workspace itself if it has none.
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
