/** Ingress tokens of instances. */
import type { Db } from '../../../platform/db/database.ts';

export interface IngressToken {
  token: string;
  instanceId: string;
  /** Null if a URL belongs to one account. */
  accountKey: string | null;
}

/** Stores the token of an instance, or updates its account key. */
export async function upsertToken(
  db: Db,
  workspaceId: string,
  { token, instanceId, accountKey }: IngressToken,
): Promise<void> {
  await db
    .insertInto('channel_tokens')
    .values({ token, workspace_id: workspaceId, instance_id: instanceId, account_key: accountKey })
    .onConflict((conflict) => conflict.column('token').doUpdateSet({ account_key: accountKey }))
    .execute();
}

export async function deleteToken(db: Db, workspaceId: string, instanceId: string): Promise<void> {
  await db
    .deleteFrom('channel_tokens')
    .where('workspace_id', '=', workspaceId)
    .where('instance_id', '=', instanceId)
    .execute();
}
