/** Reads the current rights of a person or key. Outside src/core/auth, because nothing here is cached. */
import type { Role } from '../vocabulary/scopes.ts';
import type { Db } from '../../platform/db/database.ts';

/** Returns the role of a member who may still sign in, or null. */
export async function getRole(db: Db, workspaceId: string, userId: string): Promise<Role | null> {
  const row = await db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select('members.role')
    .where('members.workspace_id', '=', workspaceId)
    .where('members.user_id', '=', userId)
    .where('users.disabled_at', 'is', null)
    .executeTakeFirst();
  return (row?.role as Role | undefined) ?? null;
}

/** Whether the workspace has another owner who may still sign in. */
export async function hasOtherOwner(db: Db, workspaceId: string, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select('members.user_id')
    .where('members.workspace_id', '=', workspaceId)
    .where('members.role', '=', 'owner')
    .where('members.user_id', '!=', userId)
    .where('users.disabled_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** A key that works at `now`. */
export function activeKey(db: Db, workspaceId: string, keyId: string, now: Date) {
  return db
    .selectFrom('api_keys')
    .select(['scopes', 'expires_at', 'allowed_ips', 'allowed_origins', 'rate_limit_per_minute'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', keyId)
    .where('revoked_at', 'is', null)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]))
    .executeTakeFirst();
}
