/** Stores how many redirects of links with `max_clicks` are used. */
import type { Db, Tx } from '../../../platform/db/database.ts';

/** Locks the budget of a link until the transaction ends, and reads it. */
export function lockBudget(
  db: Tx,
  workspaceId: string,
  linkId: string,
): Promise<{ max: number; used: number } | undefined> {
  return db
    .selectFrom('link_budgets')
    .select(['max', 'used'])
    .where('workspace_id', '=', workspaceId)
    .where('link_id', '=', linkId)
    .forUpdate()
    .executeTakeFirst();
}

/** Saves the used redirects of a link. The row must be locked. */
export async function saveBudget(db: Db, workspaceId: string, linkId: string, used: number): Promise<void> {
  await db
    .updateTable('link_budgets')
    .set({ used })
    .where('workspace_id', '=', workspaceId)
    .where('link_id', '=', linkId)
    .execute();
}
