/** Rows of short links, with what the API shows beside them. */
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { Links } from '../../platform/db/tables.ts';

export interface LinkRow extends Omit<Selectable<Links>, 'words'> {
  clicks: number;
  unique_clicks: number;
  bot_clicks: number;
  last_clicked_at: Date | null;
  /** How many people a link with `max_clicks` has sent on; 0 for others. */
  used: number;
  /** Names, sorted. */
  tags: string[];
}

const COLUMNS = [
  'workspace_id',
  'id',
  'domain',
  'slug',
  'url',
  'title',
  'description',
  'image',
  'archived_at',
  'expires_at',
  'expired_url',
  'max_clicks',
  'password_hash',
  'targeting',
  'utm',
  'forward_query',
  'redirect_status',
  'external_id',
  'metadata',
  'fingerprint',
  'message_id',
  'contact_id',
  'created_by',
  'version',
  'created_at',
  'updated_at',
] as const;

/** All that is shown of the links in `source`, which goes by `l`. */
export const selectLinks = (source: RawBuilder<unknown>): RawBuilder<LinkRow> => sql<LinkRow>`
  select ${sql.join(COLUMNS.map((column) => sql.ref(`l.${column}`)))},
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

/** Those of `ids` that there are, in the order of their ids. */
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

/** Locks those of `ids` that there are until the transaction ends, in the order of their ids, and reads them. */
export async function lockLinks(db: Tx, workspaceId: string, ids: readonly string[]): Promise<LinkRow[]> {
  if (ids.length === 0) return [];
  // By a statement of its own: the next one sees what was committed while this one waited.
  await sql`
    select 1 from links where workspace_id = ${workspaceId} and id = any(${ids}::uuid[]) order by id for update
  `.execute(db);
  return readLinks(db, workspaceId, ids);
}

/** The link with a caller's own id. @returns its id */
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

/** The workspace's link at an address. @returns its id */
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

/** For the quota. */
export async function countLinks(db: Db, workspaceId: string): Promise<number> {
  const row = await db
    .selectFrom('links')
    .select(sql<number>`count(*)`.as('count'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow();
  return row.count;
}
