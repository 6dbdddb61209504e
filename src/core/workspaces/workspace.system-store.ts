/** Lookups across workspaces: those of a person, and whether a slug is free. */
import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { Page } from '../../platform/http/pagination.ts';
import type { WorkspaceRow } from './workspace.store.ts';

export interface WorkspaceFilter {
  createdAfter?: string;
  createdBefore?: string;
}

/** Workspaces that a person is a member of, with the role there: newest first, one more than the page holds. */
export function listWorkspacesFor(
  db: Db,
  userId: string,
  page: Page,
  { createdAfter, createdBefore }: WorkspaceFilter,
): Promise<(WorkspaceRow & { role: string })[]> {
  let query = db
    .selectFrom('members')
    .innerJoin('workspaces', 'workspaces.id', 'members.workspace_id')
    .selectAll('workspaces')
    .select('members.role')
    .where('members.user_id', '=', userId)
    .where('workspaces.deleted_at', 'is', null)
    .orderBy('workspaces.id', 'desc')
    .limit(page.limit + 1);
  if (page.after) query = query.where('workspaces.id', '<', page.after);
  if (createdAfter) query = query.where('workspaces.created_at', '>', new Date(createdAfter));
  if (createdBefore) query = query.where('workspaces.created_at', '<', new Date(createdBefore));
  return query.execute();
}

/**
 * Counts the workspaces that a person owns, including deleted ones that are not erased yet. Other creations by the
 * same person wait until the transaction ends.
 */
export async function countOwnedWorkspaces(db: Tx, userId: string): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`workspaces of ${userId}`}, 2))`.execute(db);
  const row = await db
    .selectFrom('members')
    .select(sql<number>`count(*)`.as('count'))
    .where('user_id', '=', userId)
    .where('role', '=', 'owner')
    .executeTakeFirstOrThrow();
  return row.count;
}

/** Returns the `slugs` that no workspace has, in the given order. */
export async function freeSlugs(db: Db, slugs: string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('workspaces')
    .select('slug')
    .where('slug', 'in', slugs)
    .where('deleted_at', 'is', null)
    .execute();
  const taken = new Set(rows.map(({ slug }) => slug));
  return slugs.filter((slug) => !taken.has(slug));
}
