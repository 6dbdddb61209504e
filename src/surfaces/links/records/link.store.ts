/** Reads rows of short links together with the counters, usage and tags that the API shows. */
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';
import type { Links } from '../../../platform/db/tables.ts';

export interface LinkRow extends Omit<Selectable<Links>, 'words'> {
  clicks: number;
  unique_clicks: number;
  bot_clicks: number;
  last_clicked_at: Date | null;
  /** Redirects used by a link with `max_clicks`; 0 for other links. */
  used: number;
  /** Tag names, sorted. */
  tags: string[];
}

/** Columns of links and their types, besides the search terms. */
export const COLUMNS = {
  workspace_id: 'uuid',
  id: 'uuid',
  domain: 'text',
  slug: 'text',
  url: 'text',
  title: 'text',
  description: 'text',
  image: 'text',
  archived_at: 'timestamptz',
  expires_at: 'timestamptz',
  expired_url: 'text',
  max_clicks: 'integer',
  password_hash: 'text',
  targeting: 'jsonb',
  utm: 'jsonb',
  forward_query: 'boolean',
  redirect_status: 'smallint',
  external_id: 'text',
  metadata: 'jsonb',
  fingerprint: 'bytea',
  message_id: 'uuid',
  contact_id: 'uuid',
  created_by: 'text',
  version: 'integer',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
} as const satisfies Record<Exclude<keyof Links, 'words'>, string>;

/** Selects everything that is shown of the links in `source`, under the alias `l`. */
export const selectLinks = (source: RawBuilder<unknown>): RawBuilder<LinkRow> => sql<LinkRow>`
  select ${sql.join(Object.keys(COLUMNS).map((column) => sql.ref(`l.${column}`)))},
    coalesce(n.clicks, 0) as clicks, coalesce(n.unique_clicks, 0) as unique_clicks,
    coalesce(n.bot_clicks, 0) as bot_clicks, n.last_clicked_at,
    coalesce((
      select b.used from link_budgets b where b.workspace_id = l.workspace_id and b.link_id = l.id
    ), 0) as used,
    array(
      select t.name from link_tags lt join tags t on t.workspace_id = lt.workspace_id and t.id = lt.tag_id
      where lt.workspace_id = l.workspace_id and lt.link_id = l.id order by t.name collate "C"
    ) as tags
  from ${source} l
  left join link_counters n on n.workspace_id = l.workspace_id and n.link_id = l.id`;

/** Reads links by ID, ordered by ID. Unknown IDs are left out. */
export async function readLinks(db: Db, workspaceId: string, ids: readonly string[]): Promise<LinkRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<LinkRow>`
    ${selectLinks(sql`links`)} where l.workspace_id = ${workspaceId} and l.id = any(${ids}::uuid[]) order by l.id
  `.execute(db);
  return rows;
}

export async function getLink(db: Db, workspaceId: string, id: string): Promise<LinkRow | undefined> {
  return (await readLinks(db, workspaceId, [id]))[0];
}

/** Locks links in ID order until the transaction ends, and reads them. Unknown IDs are left out. */
export async function lockLinks(db: Tx, workspaceId: string, ids: readonly string[]): Promise<LinkRow[]> {
  if (ids.length === 0) return [];
  // A separate statement: the next one sees what was committed while this one waited for the locks.
  await sql`
    select 1 from links where workspace_id = ${workspaceId} and id = any(${ids}::uuid[]) order by id for update
  `.execute(db);
  return readLinks(db, workspaceId, ids);
}

/** Finds a link by its external ID. @returns the link's ID */
export async function idByExternalId(
  db: Db,
  workspaceId: string,
  externalId: string,
): Promise<string | null> {
  const row = await db
    .selectFrom('links')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('external_id', '=', externalId)
    .executeTakeFirst();
  return row?.id ?? null;
}

/** Finds the workspace's link at an address. @returns the link's ID */
export async function idByAddress(
  db: Db,
  workspaceId: string,
  domain: string,
  slug: string,
): Promise<string | null> {
  const row = await db
    .selectFrom('link_routes')
    .select('link_id')
    .where('domain', '=', domain)
    .where('slug', '=', slug)
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst();
  return row?.link_id ?? null;
}

/** Counts the links of a workspace, for the quota. */
export async function countLinks(db: Db, workspaceId: string): Promise<number> {
  const row = await db
    .selectFrom('links')
    .select(sql<number>`count(*)`.as('count'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow();
  return row.count;
}
