/** Reads links, domains and tags for the scope of an analytics query, and links ranked by clicks. */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';

/** Finds a link. */
export async function findLink(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<{ domain: string } | undefined> {
  return db
    .selectFrom('links')
    .select('domain')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Finds a domain of the workspace. */
export async function findDomain(
  db: Db,
  workspaceId: string,
  host: string,
): Promise<{ id: string } | undefined> {
  return db
    .selectFrom('domains')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('host', '=', host)
    .executeTakeFirst();
}

/** Finds links with a tag, at most `limit`, optionally only on a domain or a single link. */
export async function linksWithTag(
  db: Db,
  workspaceId: string,
  tagId: string,
  { domain, link, limit }: { domain: string | null; link: string | null; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select l.id from link_tags t join links l on l.workspace_id = t.workspace_id and l.id = t.link_id
    where t.workspace_id = ${workspaceId} and t.tag_id = ${tagId}
      ${domain === null ? sql`` : sql`and l.domain = ${domain}`}
      ${link === null ? sql`` : sql`and l.id = ${link}`}
    limit ${limit}
  `.execute(db);
  return rows.map(({ id }) => id);
}

export interface RankedLink {
  id: string;
  /** Clicks by people, of all time. */
  clicks: number;
  /** Whether the link can have clicks in the range. */
  fits: boolean;
}

/**
 * Lists links by clicks of all time, highest first.
 * @param after the last link of the previous page; null for the first page
 * @param since links that were last clicked before this time don't match (`fits`)
 */
export async function rankedLinks(
  db: Db,
  workspaceId: string,
  {
    after,
    since,
    domain,
    limit,
  }: { after: RankedLink | null; since: Date; domain: string | null; limit: number },
): Promise<RankedLink[]> {
  const { rows } = await sql<RankedLink>`
    with ranked as materialized (
      select link_id as id, clicks, last_clicked_at from link_counters
      where workspace_id = ${workspaceId} and clicks > 0
        ${after === null ? sql`` : sql`and (clicks, link_id) < (${after.clicks}::bigint, ${after.id}::uuid)`}
      order by clicks desc, link_id desc limit ${limit}
    )
    select r.id, r.clicks, r.last_clicked_at >= ${since}
      ${
        domain === null
          ? sql``
          : sql`and exists (select from links l where l.workspace_id = ${workspaceId} and l.id = r.id and l.domain = ${domain})`
      } as fits
    from ranked r order by r.clicks desc, r.id desc
  `.execute(db);
  return rows;
}

export interface LinkAddress {
  id: string;
  domain: string;
  slug: string;
  url: string;
  title: string | null;
}

export async function linkAddresses(
  db: Db,
  workspaceId: string,
  ids: readonly string[],
): Promise<Map<string, LinkAddress>> {
  if (!ids.length) return new Map();
  const rows = await db
    .selectFrom('links')
    .select(['id', 'domain', 'slug', 'url', 'title'])
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', ids)
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}
