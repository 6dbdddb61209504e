/** Retention, over all workspaces. */
import type { Database } from '../../db/database.ts';

export interface Retention {
  workspaceId: string;
  days: number;
}

/** Workspaces that keep media for a time only, by their ids. @param after the last of the page before */
export async function retentions(db: Database, after: string | null, most: number): Promise<Retention[]> {
  let query = db
    .selectFrom('workspaces')
    .select(['id', 'media_retention_days'])
    .where('media_retention_days', 'is not', null)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .limit(most);
  if (after !== null) query = query.where('id', '>', after);
  const rows = await query.execute();
  return rows.map((row) => ({ workspaceId: row.id, days: row.media_retention_days! }));
}
