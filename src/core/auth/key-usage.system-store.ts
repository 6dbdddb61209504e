/**
 * Records a batch of key uses across workspaces in one statement. Does not wait for the disk, because uses may be lost.
 * Uses in deleted workspaces are skipped.
 */
import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';

export interface Use {
  workspaceId: string;
  keyId: string;
  at: number;
  /** Null if the address reported by a proxy is invalid, because one such row would fail the whole batch. */
  ip: string | null;
  operation: string;
}

export async function saveKeyUsage(db: Database, uses: Use[]): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await sql`set local synchronous_commit = off`.execute(tx);
    await sql`
      insert into key_usage as u (workspace_id, key_id, last_used_at, last_used_ip, last_used_operation)
      select used.* from unnest(
        ${uses.map(({ workspaceId }) => workspaceId)}::uuid[], ${uses.map(({ keyId }) => keyId)}::uuid[],
        ${uses.map(({ at }) => new Date(at))}::timestamptz[], ${uses.map(({ ip }) => ip)}::inet[],
        ${uses.map(({ operation }) => operation)}::text[]
      ) as used (workspace_id, key_id, last_used_at, last_used_ip, last_used_operation)
      join workspaces on workspaces.id = used.workspace_id and workspaces.deleted_at is null
      order by used.key_id
      on conflict (workspace_id, key_id) do update set last_used_at = excluded.last_used_at,
        last_used_ip = excluded.last_used_ip, last_used_operation = excluded.last_used_operation
      where u.last_used_at < excluded.last_used_at
    `.execute(tx);
  });
}
