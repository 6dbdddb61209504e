/** Whom of a workspace mails go to, and what it is called in them: users are not of any workspace. */
import type { Db } from '../db/database.ts';

/**
 * Addresses of members in `roles`, and of one more person while a member; but of users who were disabled.
 * @param userId the one more, or null
 */
export async function addressesOfMembers(
  db: Db,
  workspaceId: string,
  roles: readonly string[],
  userId: string | null = null,
): Promise<string[]> {
  const rows = await db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select('users.email')
    .where('members.workspace_id', '=', workspaceId)
    .where('users.disabled_at', 'is', null)
    .where((where) => where.or([where('members.role', 'in', roles), where('members.user_id', '=', userId)]))
    .orderBy('users.email')
    .execute();
  return rows.map(({ email }) => email);
}

/** @returns undefined when the workspace is deleted. */
export function nameOfWorkspace(
  db: Db,
  workspaceId: string,
): Promise<{ name: string; slug: string } | undefined> {
  return db
    .selectFrom('workspaces')
    .select(['name', 'slug'])
    .where('id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}
