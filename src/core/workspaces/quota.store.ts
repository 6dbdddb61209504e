/** Counts a workspace's objects. */
import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';

/** Keeps others from counting the same until the transaction ends. */
export async function lockQuota(db: Tx, workspaceId: string, resource: string): Promise<void> {
  const name = `quota ${workspaceId} ${resource}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 2))`.execute(db);
}

const counted = sql<number>`count(*)`.as('count');

/** Keys that are not revoked; an expired one counts, since a later expiry brings it back. */
export async function countApiKeys(db: Db, workspaceId: string): Promise<number> {
  const row = await db
    .selectFrom('api_keys')
    .select(counted)
    .where('workspace_id', '=', workspaceId)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow();
  return row.count;
}

export async function countMembers(db: Db, workspaceId: string): Promise<number> {
  const row = await db
    .selectFrom('members')
    .select(counted)
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow();
  return row.count;
}

/** Invitations that can be accepted now. */
export async function countPendingInvitations(db: Db, workspaceId: string, now: Date): Promise<number> {
  const row = await db
    .selectFrom('invitations')
    .select(counted)
    .where('workspace_id', '=', workspaceId)
    .where('state', '=', 'pending')
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow();
  return row.count;
}
