/** Reads a workspace's slug for console URLs. */
import type { Db } from '../../../platform/db/database.ts';

export async function getSlug(db: Db, workspaceId: string): Promise<string> {
  const row = await db
    .selectFrom('workspaces')
    .select('slug')
    .where('id', '=', workspaceId)
    .executeTakeFirst();
  return row?.slug ?? '';
}
