/** Stores pairing sessions and blocks of accounts, and lists the other accounts of a workspace. */
import type { Db } from '../../../platform/db/database.ts';

export interface Account {
  workspaceId: string;
  instanceId: string;
}

export async function hasSession(db: Db, account: Account, session: string): Promise<boolean> {
  const row = await db
    .selectFrom('sandbox_sessions')
    .select('session')
    .where('workspace_id', '=', account.workspaceId)
    .where('instance_id', '=', account.instanceId)
    .executeTakeFirst();
  return row?.session === session;
}

/** Replaces the account's session. */
export async function saveSession(db: Db, account: Account, session: string): Promise<void> {
  await db
    .insertInto('sandbox_sessions')
    .values({ workspace_id: account.workspaceId, instance_id: account.instanceId, session })
    .onConflict((conflict) => conflict.column('instance_id').doUpdateSet({ session }))
    .execute();
}

export async function deleteSession(db: Db, account: Account): Promise<void> {
  await db
    .deleteFrom('sandbox_sessions')
    .where('workspace_id', '=', account.workspaceId)
    .where('instance_id', '=', account.instanceId)
    .execute();
}

export async function setBlocked(
  db: Db,
  account: Account,
  address: string,
  isBlocked: boolean,
): Promise<void> {
  if (isBlocked)
    await db
      .insertInto('sandbox_blocks')
      .values({ workspace_id: account.workspaceId, instance_id: account.instanceId, address })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  else
    await db
      .deleteFrom('sandbox_blocks')
      .where('workspace_id', '=', account.workspaceId)
      .where('instance_id', '=', account.instanceId)
      .where('address', '=', address)
      .execute();
}

/** Lists the other accounts of the workspace. */
export async function listOtherAccounts(
  db: Db,
  account: Account,
  limit: number,
): Promise<{ address: string; name: string }[]> {
  const rows = await db
    .selectFrom('instances')
    .select(['address', 'name'])
    .where('workspace_id', '=', account.workspaceId)
    .where('channel', '=', 'sandbox')
    .where('id', '<>', account.instanceId)
    .where('address', 'is not', null)
    .orderBy('address')
    .limit(limit)
    .execute();
  return rows.map(({ address, name }) => ({ address: address!, name }));
}
