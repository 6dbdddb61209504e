/** Lists and counts links for API requests. */
import type { ReadUnit } from '../../../core/unit/unit-of-work.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { type List, toList, getPage } from '../../../platform/http/pagination.ts';
import { normalizeDomain } from '../creation/link-input.ts';
import type { LinkFilter, PageCursor } from './link-filter.store.ts';
import * as store from './link-list.store.ts';
import type { LinkListed } from './link-listed.ts';
import { presentLink } from '../records/link-present.ts';
import type {
  LinkCountObject,
  LinkFilterQuery,
  LinkObject,
  LinkSort,
  ListLinksQuery,
} from '../records/link.schema.ts';
import { toSearchQuery } from '../records/link-search-terms.ts';
import { readSlug } from '../addresses/slug.ts';
import { normalizeTagName } from '../tags/tag-names.ts';
import { findTagsByName } from '../tags/tag.store.ts';

export interface ListDeps {
  baseUrl: string;
  /** Records that a page of links was returned. */
  listed?: LinkListed['record'];
}

/** Returns the dependencies for a listing that emits no `link.listed`. */
export const withoutListed = ({ baseUrl }: ListDeps): ListDeps => ({ baseUrl });

/** Resolves a filter query. @returns null if it names something that cannot exist, so that no link matches */
async function resolveFilter(
  unit: ReadUnit,
  { baseUrl }: ListDeps,
  workspaceId: string,
  query: LinkFilterQuery,
): Promise<LinkFilter | null> {
  const filter: LinkFilter = {
    state: query.state,
    externalId: query.external_id,
    createdBy: query.created_by,
    hasPassword: query.has_password,
    createdAfter: query.created_after,
    createdBefore: query.created_before,
  };
  if (query.domain !== undefined) {
    const domain = normalizeDomain(query.domain, baseUrl);
    if (domain === null) return null;
    filter.domain = domain;
  }
  if (query.slug !== undefined) {
    const slug = readSlug(query.slug);
    if (slug === null) return null;
    filter.slug = slug;
  }
  if (query.search !== undefined) {
    const terms = toSearchQuery(workspaceId, query.search);
    if (terms === null) return null;
    filter.terms = terms;
  }
  if (query.contact_id !== undefined) {
    const id = toUuid('contact', query.contact_id);
    if (id === null) return null;
    filter.contactId = id;
  }
  if (query.message_id !== undefined) {
    const id = toUuid('message', query.message_id);
    if (id === null) return null;
    filter.messageId = id;
  }
  if (query.tag !== undefined) {
    const tags = await findTagsByName(unit.db, workspaceId, query.tag.split(',').map(normalizeTagName));
    if (!tags.size) return null;
    filter.tagIds = [...new Set([...tags.values()].map(({ id }) => id))];
  }
  return filter;
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const CURSORS: Record<LinkSort, RegExp> = {
  created_at: new RegExp(`^()(${UUID})$`),
  clicks: new RegExp(`^c(\\d{1,18})\\.(${UUID})$`),
  last_clicked_at: new RegExp(`^l(\\d{0,18})\\.(${UUID})$`),
};
const PREFIXES: Record<LinkSort, string> = { created_at: '', clicks: 'c', last_clicked_at: 'l' };

const toCursor = (sort: LinkSort, { key, id }: PageCursor): string =>
  sort === 'created_at' ? id : `${PREFIXES[sort]}${key}.${id}`;

/** Lists a page of links. @throws Problem invalid_cursor */
export async function listLinks(
  unit: ReadUnit,
  deps: ListDeps,
  workspaceId: string,
  query: ListLinksQuery,
): Promise<List<LinkObject>> {
  const sort = query.sort ?? 'created_at';
  const page = getPage(query, (key) => CURSORS[sort].test(key));
  const [, key = '', id] = (page.after === null ? null : CURSORS[sort].exec(page.after)) ?? [];
  const filter = await resolveFilter(unit, deps, workspaceId, query);
  const now = unit.clock();
  const { rows, windowEnd } = filter
    ? await store.listLinks(unit.db, {
        workspaceId,
        filter,
        sort,
        after: id === undefined ? null : { key, id },
        limit: page.limit + 1,
        now,
      })
    : { rows: [], windowEnd: null };
  const { limit: _, cursor: __, sort: ___, ...filterQuery } = query;
  deps.listed?.(workspaceId, { filter: filterQuery, sort, count: Math.min(rows.length, page.limit) });
  return toList(
    rows,
    page,
    (row) => toCursor(sort, { key: row.sort_key, id: row.id }),
    (row) => presentLink(row, deps.baseUrl, now),
    windowEnd && toCursor(sort, windowEnd),
  );
}

export async function countLinks(
  unit: ReadUnit,
  deps: ListDeps,
  workspaceId: string,
  query: LinkFilterQuery,
): Promise<LinkCountObject> {
  const filter = await resolveFilter(unit, deps, workspaceId, query);
  const { count, isExact } = filter
    ? await store.countLinks(unit.db, {
        workspaceId,
        filter,
        sort: 'created_at',
        after: null,
        limit: 0,
        now: unit.clock(),
      })
    : { count: 0, isExact: true };
  return { object: 'link_count', count, is_exact: isExact };
}
