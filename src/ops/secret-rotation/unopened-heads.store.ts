/** Sealed heads of requests that a workspace's inspectors received. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

export interface SealedHead {
  /** ID of the request. */
  id: string;
  head_sealed: string;
}

/** Deletes the requests of these heads completely, except those resealed since. */
export async function deleteHeads(db: Db, workspaceId: string, heads: readonly SealedHead[]): Promise<void> {
  if (heads.length === 0) return;
  await sql`
    delete from inspector_requests r
    using unnest(${heads.map(({ id }) => id)}::uuid[], ${heads.map((one) => one.head_sealed)}::text[]) g (id, head_sealed)
    where r.workspace_id = ${workspaceId} and r.id = g.id and r.head_sealed = g.head_sealed
  `.execute(db);
}
