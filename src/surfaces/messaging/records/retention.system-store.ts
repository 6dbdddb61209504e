/** How long workspaces keep things, over all of them. */
import type { Database } from '../../../platform/db/database.ts';

export interface Retention {
  workspaceId: string;
  days: number;
}

export type RetentionSetting = 'media_retention_days' | 'message_retention_days';

/** Workspaces that keep such things for a time only, by their IDs. @param after the last of the page before */
export async function retentions(
  db: Database,
  setting: RetentionSetting,
  after: string | null,
  limit: number,
): Promise<Retention[]> {
  let query = db
    .selectFrom('workspaces')
    .select(['id', `${setting} as days`])
    .where(setting, 'is not', null)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .limit(limit);
  if (after !== null) query = query.where('id', '>', after);
  const rows = await query.execute();
  return rows.map(({ id, days }) => ({ workspaceId: id, days: days! }));
}
