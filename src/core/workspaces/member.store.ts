/** Rows of members. */
import { likePattern } from '../../platform/db/like-pattern.ts';
import { type Selectable, sql } from 'kysely';
import type { Role } from '../vocabulary/scopes.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { Members } from '../../platform/db/tables.ts';

export type MemberRow = Selectable<Members>;

export interface MemberFilter {
  search?: string;
  role?: Role;
  userId?: string;
  createdAfter?: string;
  createdBefore?: string;
}

const getMembers = (db: Db, workspaceId: string) =>
  db.selectFrom('members').selectAll().where('workspace_id', '=', workspaceId);

/**
 * Lists members, those who joined last first.
 * @param after time of joining and ID of the last one seen
 */
export function listMembers(
  db: Db,
  workspaceId: string,
  page: { limit: number; after: { joinedAt: Date; userId: string } | null },
  { search, role, userId, createdAfter, createdBefore }: MemberFilter,
): Promise<MemberRow[]> {
  let query = getMembers(db, workspaceId)
    .orderBy('created_at', 'desc')
    .orderBy('user_id', 'desc')
    .limit(page.limit + 1);
  if (page.after)
    query = query.where(
      sql<boolean>`(created_at, user_id) < (${page.after.joinedAt}, ${page.after.userId}::uuid)`,
    );
  if (role) query = query.where('role', '=', role);
  if (userId) query = query.where('user_id', '=', userId);
  if (search !== undefined)
    query = query.where(({ exists, selectFrom }) =>
      exists(
        selectFrom('users')
          .select('users.id')
          .whereRef('users.id', '=', 'members.user_id')
          .where(({ eb, or }) =>
            or([
              eb('users.name', 'ilike', likePattern(search)),
              eb('users.email', 'ilike', likePattern(search)),
            ]),
          ),
      ),
    );
  if (createdAfter) query = query.where('created_at', '>', new Date(createdAfter));
  if (createdBefore) query = query.where('created_at', '<', new Date(createdBefore));
  return query.execute();
}

export function getMember(db: Db, workspaceId: string, userId: string): Promise<MemberRow | undefined> {
  return getMembers(db, workspaceId).where('user_id', '=', userId).executeTakeFirst();
}

/** Locks the row until the transaction ends. */
export function lockMember(db: Tx, workspaceId: string, userId: string): Promise<MemberRow | undefined> {
  return getMembers(db, workspaceId).where('user_id', '=', userId).forUpdate().executeTakeFirst();
}

export function insertMember(
  db: Db,
  workspaceId: string,
  userId: string,
  role: Role,
  now: Date,
): Promise<MemberRow> {
  return db
    .insertInto('members')
    .values({ workspace_id: workspaceId, user_id: userId, role, created_at: now, updated_at: now })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export function updateRole(
  db: Db,
  workspaceId: string,
  userId: string,
  role: Role,
  now: Date,
): Promise<MemberRow> {
  return db
    .updateTable('members')
    .set({ role, updated_at: now, version: sql`version + 1` })
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deleteMember(db: Db, workspaceId: string, userId: string): Promise<void> {
  await db
    .deleteFrom('members')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .execute();
}
