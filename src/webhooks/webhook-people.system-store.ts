/** Whom to tell about a webhook, and what to call its workspace: users are not of any workspace. */
import type { Queryable } from '../db/database.ts';

/** Addresses of the workspace's owners and admins, but of users who were disabled. */
export async function addressesOfAdmins(db: Queryable, workspaceId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select('users.email')
    .where('members.workspace_id', '=', workspaceId)
    .where('members.role', 'in', ['owner', 'admin'])
    .where('users.disabled_at', 'is', null)
    .orderBy('users.email')
    .execute();
  return rows.map(({ email }) => email);
}

/** @returns undefined when the workspace is deleted. */
export function nameOfWorkspace(
  db: Queryable,
  workspaceId: string,
): Promise<{ name: string; slug: string } | undefined> {
  return db
    .selectFrom('workspaces')
    .select(['name', 'slug'])
    .where('id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}
