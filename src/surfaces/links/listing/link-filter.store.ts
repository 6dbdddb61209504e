/** Filters of link lists: the indexes that serve them, and the row conditions for the rest. */
import { type RawBuilder, sql } from 'kysely';
import type { IdRange } from '../../../platform/db/uuid-time.ts';
import type { LinkSort, LinkState } from '../records/link.schema.ts';

type Part = RawBuilder<unknown>;

/** All IDs are database IDs. */
export interface LinkFilter {
  domain?: string;
  slug?: string;
  tagIds?: string[];
  state?: LinkState;
  /** A tsquery of search terms. */
  terms?: string;
  externalId?: string;
  contactId?: string;
  messageId?: string;
  createdBy?: string;
  hasPassword?: boolean;
  createdAfter?: string;
  createdBefore?: string;
}

/** Position where a page ends: the sort key as text, and the ID. */
export interface PageCursor {
  key: string;
  id: string;
}

export interface LinkListQuery {
  workspaceId: string;
  filter: LinkFilter;
  sort: LinkSort;
  after: PageCursor | null;
  /** One more than the page holds. */
  limit: number;
  now: Date;
}

export interface Index {
  /** The filter that the index fully applies; null if every row must be checked further. */
  covers: keyof LinkFilter | null;
  /** Selects IDs in descending order. */
  walk: (range: IdRange, limit: number) => Part;
  /** Selects IDs in any order, possibly duplicated, with `fits`: whether the link matches as far as the index knows. */
  collect: (range: IdRange, limit: number) => Part;
}

/** Picks the most selective index for a filter; null if no filter has an index of its own. */
export function findIndex({ workspaceId, filter, now }: LinkListQuery): Index | null {
  const { slug, externalId, messageId, contactId, terms, tagIds, state, hasPassword, createdBy, domain } =
    filter;
  const index = (
    covers: Index['covers'],
    walk: Index['walk'],
    collect: Index['collect'] = (range, limit) => sql`select id, true as fits from (${walk(range, limit)}) i`,
  ): Index => ({ covers, walk, collect });
  const links = (covers: Index['covers'], condition: Part, collect?: Index['collect']): Index =>
    index(
      covers,
      ({ from, below }, limit) => sql`
        select l.id from links l
        where l.workspace_id = ${workspaceId} and ${condition} and l.id >= ${from} and l.id < ${below}
        order by l.id desc limit ${limit}`,
      collect,
    );
  if (slug !== undefined)
    return index(
      'slug',
      // One probe for each domain: without the offset, the planner may walk all links of the workspace.
      ({ from, below }, limit) => sql`
        select r.link_id as id from (
          select '' as domain union all select d.host from domains d where d.workspace_id = ${workspaceId}
        ) d cross join lateral (
          select * from link_routes r where r.domain = d.domain and r.slug = ${slug} offset 0
        ) r
        where r.workspace_id = ${workspaceId} and r.link_id >= ${from} and r.link_id < ${below}
        order by r.link_id desc limit ${limit}`,
    );
  if (externalId !== undefined) return links('externalId', sql`l.external_id = ${externalId}`);
  if (messageId !== undefined) return links('messageId', sql`l.message_id = ${messageId}`);
  if (contactId !== undefined) return links('contactId', sql`l.contact_id = ${contactId}`);
  if (tagIds !== undefined)
    return index(
      'tagIds',
      ({ from, below }, limit) => sql`
        select distinct t.link_id as id from unnest(${tagIds}::uuid[]) tag
        cross join lateral (
          select t.link_id from link_tags t
          where t.workspace_id = ${workspaceId} and t.tag_id = tag and t.link_id >= ${from} and t.link_id < ${below}
          order by t.link_id desc limit ${limit}
        ) t order by id desc limit ${limit}`,
      ({ from, below }, limit) => sql`
        select t.link_id as id, true as fits from link_tags t
        where t.workspace_id = ${workspaceId} and t.tag_id = any(${tagIds}::uuid[])
          and t.link_id >= ${from} and t.link_id < ${below}
        limit ${limit}`,
    );
  if (state === 'exhausted') {
    const budgets: Index['walk'] = ({ from, below }, limit) => sql`
      select b.link_id as id, b.used >= b.max as fits from link_budgets b
      where b.workspace_id = ${workspaceId} and b.link_id >= ${from} and b.link_id < ${below}
      order by b.link_id desc limit ${limit}`;
    return index(null, budgets, budgets);
  }
  if (state === 'archived') return links('state', sql`l.archived_at is not null`);
  if (state === 'expired') {
    const isOver = sql`l.archived_at is null and l.expires_at is not null and l.expires_at <= ${now}`;
    // Ordered by expiry: most links with an expiry have not expired yet.
    return links(
      'state',
      isOver,
      ({ from, below }, limit) => sql`
        select l.id, l.id >= ${from} and l.id < ${below} as fits from links l
        where l.workspace_id = ${workspaceId} and ${isOver} order by l.expires_at desc limit ${limit}`,
    );
  }
  if (hasPassword) return links('hasPassword', sql`l.password_hash is not null`);
  if (terms !== undefined) return null;
  if (createdBy !== undefined) return links('createdBy', sql`l.created_by = ${createdBy}`);
  if (domain !== undefined) return links('domain', sql`l.domain = ${domain}`);
  return null;
}

const IS_EXHAUSTED = sql`exists (
  select from link_budgets b where b.workspace_id = l.workspace_id and b.link_id = l.id and b.used >= b.max
)`;

/** Builds the condition for a state. Archived takes precedence over expired, and expired over exhausted. */
function stateCondition(state: LinkState, now: Date): Part {
  const isOver = sql`(l.expires_at is not null and l.expires_at <= ${now})`;
  const conditions: Record<LinkState, Part> = {
    archived: sql`l.archived_at is not null`,
    expired: sql`l.archived_at is null and ${isOver}`,
    exhausted: sql`l.archived_at is null and not ${isOver} and ${IS_EXHAUSTED}`,
    active: sql`l.archived_at is null and not ${isOver} and (l.max_clicks is null or not ${IS_EXHAUSTED})`,
  };
  return conditions[state];
}

/** Builds the condition on a link `l` for all filters except the one that an index applies; null if none is left. */
export function buildCondition(
  { filter: whole, now }: LinkListQuery,
  applied: keyof LinkFilter | null = null,
): Part | null {
  const filter = applied === null ? whole : { ...whole, [applied]: undefined };
  const { domain, slug, tagIds, state, terms, externalId, contactId, messageId, createdBy, hasPassword } =
    filter;
  const all = [
    domain === undefined ? null : sql`l.domain = ${domain}`,
    slug === undefined ? null : sql`l.slug = ${slug}`,
    tagIds === undefined
      ? null
      : sql`exists (
          select from link_tags t
          where t.workspace_id = l.workspace_id and t.tag_id = any(${tagIds}::uuid[]) and t.link_id = l.id
        )`,
    state === undefined ? null : stateCondition(state, now),
    terms === undefined ? null : sql`l.words @@ ${terms}::tsquery`,
    externalId === undefined ? null : sql`l.external_id = ${externalId}`,
    contactId === undefined ? null : sql`l.contact_id = ${contactId}`,
    messageId === undefined ? null : sql`l.message_id = ${messageId}`,
    createdBy === undefined ? null : sql`l.created_by = ${createdBy}`,
    hasPassword === undefined ? null : sql`(l.password_hash is not null) = ${hasPassword}`,
  ].filter((one) => one !== null);
  return all.length ? sql.join(all, sql` and `) : null;
}
