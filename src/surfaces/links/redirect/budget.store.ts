/** How many people a link with `max_clicks` has sent on. */
import type { Db, Tx } from '../../../platform/db/database.ts';

/** Locks the row until the transaction ends. */
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

/** The row must be locked. */
export async function useBudget(db: Db, workspaceId: string, linkId: string, used: number): Promise<void> {
  await db
    .updateTable('link_budgets')
    .set({ used })
    .where('workspace_id', '=', workspaceId)
    .where('link_id', '=', linkId)
    .execute();
}
