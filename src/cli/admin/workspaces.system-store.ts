/** Workspaces and keys of the whole installation, for its operator. */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

export interface ListedWorkspace {
  id: string;
  slug: string;
  name: string;
  created_at: Date;
  members: number;
  /** Emails of the first three owners who may sign in. */
  owners: string[];
  owners_count: number;
}

/** Those that are not deleted, oldest first. */
export async function listWorkspaces(db: Db): Promise<ListedWorkspace[]> {
  const { rows } = await sql<ListedWorkspace>`
    select w.id, w.slug, w.name, w.created_at,
           (select count(*) from members m where m.workspace_id = w.id) as members,
           coalesce(o.owners[1:3], '{}') as owners, coalesce(cardinality(o.owners), 0) as owners_count
    from workspaces w
    left join lateral (
      select array_agg(u.email order by m.created_at, u.id) as owners
      from members m join users u on u.id = m.user_id
      where m.workspace_id = w.id and m.role = 'owner' and u.disabled_at is null
    ) o on true
    where w.deleted_at is null order by w.id
  `.execute(db);
  return rows;
}

/** @param named slug, or ID in the database format @returns its ID, or null if it does not exist */
export async function findWorkspace(
  db: Db,
  named: { slug: string } | { id: string },
): Promise<string | null> {
  const query = db.selectFrom('workspaces').select('id').where('deleted_at', 'is', null);
  const row = await (
    'id' in named ? query.where('id', '=', named.id) : query.where('slug', '=', named.slug)
  ).executeTakeFirst();
  return row?.id ?? null;
}

/** Returns slugs of workspaces whose only remaining owner is this user, who may or may not sign in. */
export async function ownedAlone(db: Db, userId: string): Promise<string[]> {
  const { rows } = await sql<{ slug: string }>`
    select w.slug from members mine join workspaces w on w.id = mine.workspace_id
    where mine.user_id = ${userId} and mine.role = 'owner' and w.deleted_at is null and not exists (
      select from members m join users u on u.id = m.user_id
      where m.workspace_id = w.id and m.role = 'owner' and m.user_id <> ${userId} and u.disabled_at is null
    ) order by w.id
  `.execute(db);
  return rows.map(({ slug }) => slug);
}

export interface ListedKey {
  id: string;
  workspace: string;
  name: string;
  prefix: string;
  last4: string;
  scopes: string[];
  expires_at: Date | null;
  last_used_at: Date | null;
}

/** Returns the active keys that a user created, oldest first. @param maker public ID of the user */
export async function getActiveKeys(db: Db, maker: string): Promise<ListedKey[]> {
  const { rows } = await sql<ListedKey>`
    select k.id, w.slug as workspace, k.name, k.prefix, k.last4, k.scopes, k.expires_at, u.last_used_at
    from api_keys k join workspaces w on w.id = k.workspace_id
    left join key_usage u on u.workspace_id = k.workspace_id and u.key_id = k.id
    where k.created_by = ${maker} and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
      and w.deleted_at is null
    order by k.id
  `.execute(db);
  return rows;
}
