/** Stores `/in/` tokens by endpoint. Lookups across workspaces are in endpoint.system-store.ts. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';

export async function insertToken(
  db: Db,
  workspaceId: string,
  endpointId: string,
  hash: Buffer,
): Promise<void> {
  await db
    .insertInto('in_tokens')
    .values({ hash, workspace_id: workspaceId, endpoint_id: endpointId })
    .execute();
}

/** Lets the tokens of an endpoint expire at `until`; tokens already in an overlap expire immediately. */
export async function endTokens(
  db: Db,
  workspaceId: string,
  endpointId: string,
  until: Date,
  now: Date,
): Promise<void> {
  const isOver = until <= now;
  await sql`
    delete from in_tokens where workspace_id = ${workspaceId} and endpoint_id = ${endpointId}
      and (expires_at is not null or ${isOver})
  `.execute(db);
  if (isOver) return;
  await sql`
    update in_tokens set expires_at = ${until} where workspace_id = ${workspaceId} and endpoint_id = ${endpointId}
  `.execute(db);
}
