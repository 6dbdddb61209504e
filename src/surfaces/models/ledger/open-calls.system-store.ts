/** Leases of open calls, across workspaces. */
import { sql } from 'kysely';
import type { Database, Db, Tx } from '../../../platform/db/database.ts';
import { leaseUntil } from './lease-until.ts';

/** Renews the leases of calls. Skips those that are being completed: their locks may be held for long. */
export async function renewLeases(
  db: Database,
  calls: readonly { workspaceId: string; id: string }[],
): Promise<void> {
  await sql`
    with mine as materialized (
      select c.workspace_id, c.id
      from unnest(${calls.map(({ workspaceId }) => workspaceId)}::uuid[], ${calls.map(({ id }) => id)}::uuid[])
        as m (workspace_id, id)
      join model_open_calls c on c.workspace_id = m.workspace_id and c.id = m.id
      for update of c skip locked
    )
    update model_open_calls c set lease_until = ${leaseUntil}
    from mine m where c.workspace_id = m.workspace_id and c.id = m.id
  `.execute(db);
}

/** Finds workspaces with calls whose lease is over. */
export async function findExpiredWorkspaces(db: Db, limit: number): Promise<string[]> {
  const { rows } = await sql<{ workspace_id: string }>`
    select distinct workspace_id from (
      select workspace_id from model_open_calls where lease_until < clock_timestamp() order by lease_until limit ${limit}
    ) expired
  `.execute(db);
  return rows.map(({ workspace_id: id }) => id);
}

/** Locks calls of a workspace whose lease has expired. Skips those that another transaction is completing. */
export async function lockExpired(tx: Tx, workspaceId: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from model_open_calls
    where workspace_id = ${workspaceId} and lease_until < clock_timestamp() order by id limit ${limit}
    for update skip locked
  `.execute(tx);
  return rows.map(({ id }) => id);
}
