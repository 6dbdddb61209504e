/**
 * Lists links by creation time, by clicks, or by last click. Every list walks an index, so a page costs a bounded
 * number of probes however many links exist. Conditions without an index are checked within a window of limited size;
 * when the window is used up, the page ends early and the next page continues behind it.
 *
 * Sorted by time, the filter's own index is walked. Sorted by clicks, the plan depends on how many links match:
 * - few: all of them are read and sorted;
 * - more: their IDs are read from the filter's index, and the sort index is walked for these IDs. Both are index-only
 *   reads, because the rows are scattered over the table;
 * - many: the links are checked one by one in sort order.
 * A search works in the same way, but its index is only queried if the first links show that few links match.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import { type IdRange, idRange } from '../../../platform/db/uuid-time.ts';
import {
  buildCondition,
  type Index,
  findIndex,
  type PageCursor,
  type LinkListQuery,
} from './link-filter.store.ts';
import { type LinkRow, selectLinks } from '../records/link.store.ts';

/** Links checked for one page, by one probe each. */
const WINDOW = 4_000;
/** Links of the window checked before any other plan is tried. */
const FIRST = 600;
/** If this many of the first links match, the window is likely to contain about a page of matches. */
const MANY_OF_FIRST = 6;
/** Matches that are read and sorted in one query, by one probe each. */
const MAX_SORTED = 2_000;
/** Maximum number of IDs read from a filter's index. */
const MAX_COLLECTED = 20_000;
/** Rows of the sort index that are walked for these IDs; fewer if every match must also be checked by its row. */
const MAX_WALKED = 50_000;
const MAX_WALKED_AND_CHECKED = 10_000;

export interface ListedLink extends LinkRow {
  sort_key: string;
}

export interface ListPage {
  rows: ListedLink[];
  /** Cursor to continue from when the window is used up before the page is full; else null. */
  windowEnd: PageCursor | null;
}

type Part = RawBuilder<unknown>;

/** Sort keys of lists that are not sorted by time, from the counters `n`. */
const KEYS = {
  clicks: { key: sql`n.clicks`, shown: sql`n.clicks::text`, read: (key: string) => sql`${key}::bigint` },
  last_clicked_at: {
    key: sql`coalesce(n.last_clicked_at, '-infinity')`,
    // In microseconds: cursors only hold integers.
    shown: sql`coalesce((extract(epoch from n.last_clicked_at) * 1000000)::bigint::text, '')`,
    read: (key: string) =>
      key === ''
        ? sql`'-infinity'::timestamptz`
        : sql`('epoch'::timestamptz + ${key}::bigint * interval '1 microsecond')`,
  },
} as const;

/** Joins links by ID, one probe each. `walked` has `id` and possibly more columns; its order is kept. */
const linksByIds = (workspaceId: string, walked: Part): Part => sql`
  (${walked}) w cross join lateral (
    select * from links l where l.workspace_id = ${workspaceId} and l.id = w.id offset 0
  ) l`;

async function show(db: Db, picked: Part, order: Part): Promise<ListedLink[]> {
  const { rows } = await sql<ListedLink>`
    with picked as materialized (${picked})
    select s.*, p.sort_key from (${selectLinks(sql`picked`)}) s join picked p on p.id = s.id order by ${order}
  `.execute(db);
  return rows;
}

/**
 * Selects IDs from the search index. Compares the workspace as text, because the planner might otherwise walk an index
 * on the workspace instead.
 */
const selectByTerms = (workspaceId: string, terms: string): Part => sql`
  select l.id from links l where l.words @@ ${terms}::tsquery and l.workspace_id::text = ${workspaceId}`;

/** Returns the IDs that match a search if they are few, else null. As values, so that they are read only once. */
async function findFewByTerms(db: Db, workspaceId: string, terms: string): Promise<Part | null> {
  // Without a limit in the CTE: with one, the planner prefers to scan all links.
  const { rows } = await sql<{ ids: string[] | null }>`
    with found as materialized (${selectByTerms(workspaceId, terms)})
    select array_agg(id) as ids from (select id from found limit ${MAX_SORTED + 1}) f
  `.execute(db);
  const ids = rows[0]!.ids ?? [];
  return ids.length > MAX_SORTED ? null : sql`select id from unnest(${ids}::uuid[]) id`;
}

/** Sort orders: of `w`, the walked rows; and of `p` and `s`, the rows that are returned. */
interface Order {
  walked: Part;
  shown: Part;
}

interface Window {
  /** Rows with `id`, `sort_key` and `sort_by` (the sort expression), in that order. */
  rows: Part;
  /** The last row of the window, where the next page continues; null if there is nothing behind the window. */
  last: Part | null;
  condition: Part | null;
  order: Order;
}

/** Returns the matches of a window, stopping when the page is full. */
async function scanWindow(
  db: Db,
  { workspaceId, limit: pageLimit }: LinkListQuery,
  { rows: window, last: lastOf, condition, order }: Window,
): Promise<ListPage> {
  const rows = await show(
    db,
    sql`
      select l.*, w.* from (
        select w.id as walked_id, w.sort_key, w.sort_by from (${window}) w
      ) w cross join lateral (
        select * from links l where l.workspace_id = ${workspaceId} and l.id = w.walked_id offset 0
      ) l
      where ${condition ?? sql`true`} order by ${order.walked} limit ${pageLimit}`,
    order.shown,
  );
  if (lastOf === null || rows.length === pageLimit) return { rows, windowEnd: null };
  const { rows: last } = await sql<{ sort_key: string; walked_id: string }>`
    select id as walked_id, sort_key from (${lastOf}) w
  `.execute(db);
  return { rows, windowEnd: last[0] ? { key: last[0].sort_key, id: last[0].walked_id } : null };
}

/** Selects the last of `size` walked rows. */
const getLast = (rows: Part, size: number): Part => sql`select * from (${rows}) e offset ${size - 1}`;

const NEWEST_FIRST: Order = { walked: sql`w.walked_id desc`, shown: sql`s.id desc` };

const walkAll = (workspaceId: string, { from, below }: IdRange, limit: number): Part => sql`
  select l.id from links l where l.workspace_id = ${workspaceId} and l.id >= ${from} and l.id < ${below}
  order by l.id desc limit ${limit}`;

async function newestFirst(db: Db, question: LinkListQuery): Promise<ListPage> {
  const { workspaceId, filter, after, limit: pageLimit } = question;
  const range = idRange(after?.id ?? null, filter);
  const index = findIndex(question);
  const condition = buildCondition(question, index?.covers);
  const order = NEWEST_FIRST;
  const inWindow = (size: number): Window => {
    const walked = index?.walk(range, size) ?? walkAll(workspaceId, range, size);
    const rows = sql`select id, '' as sort_key, null as sort_by from (${walked}) i`;
    return { rows, last: condition === null ? null : getLast(rows, size), condition, order };
  };
  if (condition === null) return scanWindow(db, question, inWindow(pageLimit));
  // With several tags, this many links are walked for each tag.
  const size = Math.max(pageLimit, Math.floor(WINDOW / (filter.tagIds?.length ?? 1)));
  if (index || filter.terms === undefined) return scanWindow(db, question, inWindow(size));
  // Common words match many of the newest links, while the index would have to collect all matches.
  const newest = await scanWindow(db, question, inWindow(FIRST));
  if (newest.windowEnd === null) return newest;
  const few =
    newest.rows.length >= MANY_OF_FIRST ? null : await findFewByTerms(db, workspaceId, filter.terms);
  if (!few) return scanWindow(db, question, inWindow(size));
  const picked = sql`
    select l.*, '' as sort_key from ${linksByIds(workspaceId, few)}
    where l.id >= ${range.from} and l.id < ${range.below} and ${condition} order by l.id desc limit ${pageLimit}`;
  return { rows: await show(db, picked, order.shown), windowEnd: null };
}

/** Counts the IDs that an index returns, and how many of them match as far as the index knows; at most `limit` + 1. */
async function countCollected(
  db: Db,
  index: Index,
  range: IdRange,
  limit: number,
): Promise<{ scanned: number; fitting: number }> {
  const { rows } = await sql<{ scanned: number; fitting: number }>`
    select count(*) as scanned, count(*) filter (where fits) as fitting
    from (${index.collect(range, limit + 1)}) g
  `.execute(db);
  return rows[0]!;
}

/** Walks links by creation time, for filters that have no index of their own. */
const byTime = (workspaceId: string): Index => ({
  covers: null,
  walk: (range, limit) => walkAll(workspaceId, range, limit),
  collect: (range, limit) => sql`select id, true as fits from (${walkAll(workspaceId, range, limit)}) i`,
});

async function byCounters(db: Db, question: LinkListQuery, sort: keyof typeof KEYS): Promise<ListPage> {
  const { workspaceId, filter, after, limit: pageLimit } = question;
  const { key, shown, read } = KEYS[sort];
  const range = idRange(null, filter);
  const isTimed = filter.createdAfter !== undefined || filter.createdBefore !== undefined;
  const inTime = isTimed ? sql`l.id >= ${range.from} and l.id < ${range.below}` : null;
  const beyondIn = (by: Part, id: Part): Part =>
    after === null ? sql`true` : sql`(${by}, ${id}) < (${read(after.key)}, ${after.id}::uuid)`;
  const beyond = beyondIn(key, sql`n.link_id`);
  const columns = sql`n.link_id as id, ${shown} as sort_key, ${key} as sort_by`;
  const counters = (limit: number): Part => sql`
    select ${columns} from link_counters n
    where n.workspace_id = ${workspaceId} and ${beyond} order by ${key} desc, n.link_id desc limit ${limit}`;
  const order = { walked: sql`w.sort_by desc, w.walked_id desc`, shown: sql`p.sort_by desc, s.id desc` };
  const all = (...conditions: (Part | null)[]): Part | null => {
    const some = conditions.filter((one) => one !== null);
    return some.length ? sql.join(some, sql` and `) : null;
  };
  const condition = all(buildCondition(question), inTime);
  const inWindow = (size: number): Window => ({
    rows: counters(size),
    last: getLast(counters(size), size),
    condition,
    order,
  });
  const sorted = (ids: Part, rest: Part | null): Window => ({
    rows: sql`
      select n.* from (select distinct id from (${ids}) f) f cross join lateral (
        select ${columns} from link_counters n
        where n.workspace_id = ${workspaceId} and n.link_id = f.id offset 0
      ) n where ${beyondIn(sql`n.sort_by`, sql`n.id`)} order by n.sort_by desc, n.id desc`,
    last: null,
    condition: rest,
    order,
  });
  if (condition === null) return scanWindow(db, question, { ...inWindow(pageLimit), last: null });
  const index = findIndex(question) ?? (isTimed && filter.terms === undefined ? byTime(workspaceId) : null);
  // The index already applies the time range.
  const rest = index && buildCondition(question, index.covers);
  const idsIn = ({ collect }: Index): Part =>
    sql`select id from (${collect(range, MAX_COLLECTED + 1)}) g where fits`;
  if (index && (await countCollected(db, index, range, MAX_SORTED)).scanned <= MAX_SORTED)
    return scanWindow(db, question, sorted(idsIn(index), rest));
  const first = await scanWindow(db, question, inWindow(Math.max(FIRST, pageLimit)));
  if (first.windowEnd === null) return first;
  if (index) {
    const { scanned, fitting } = await countCollected(db, index, range, MAX_COLLECTED);
    const ids = idsIn(index);
    if (scanned <= MAX_COLLECTED && fitting <= MAX_SORTED) return scanWindow(db, question, sorted(ids, rest));
    if (scanned <= MAX_COLLECTED) {
      const size = rest === null ? MAX_WALKED : MAX_WALKED_AND_CHECKED;
      return scanWindow(db, question, {
        // Not a join: a join reads all rows before it sorts.
        rows: sql`select * from (${counters(size)}) c where (c.id in (${ids})) is true`,
        last: getLast(counters(size), size),
        condition: rest,
        order,
      });
    }
  } else if (filter.terms !== undefined && first.rows.length < MANY_OF_FIRST) {
    const few = await findFewByTerms(db, workspaceId, filter.terms);
    if (few) return scanWindow(db, question, sorted(few, condition));
  }
  return scanWindow(db, question, inWindow(Math.max(WINDOW, pageLimit)));
}

/** Lists links in sort order, one row more than the page holds. */
export const listLinks = (db: Db, question: LinkListQuery): Promise<ListPage> =>
  question.sort === 'created_at' ? newestFirst(db, question) : byCounters(db, question, question.sort);

/** Counts stop here; larger results are reported as inexact. */
const MAX_COUNTED = 10_000;

/** Counts matching links. @returns the count, and whether it is exact */
export async function countLinks(
  db: Db,
  question: LinkListQuery,
): Promise<{ count: number; isExact: boolean }> {
  const { workspaceId, filter } = question;
  const range = idRange(null, filter);
  const index = findIndex(question);
  const condition = buildCondition(question, index?.covers);
  const size = MAX_COUNTED + 1;
  const walked =
    index?.walk(range, size) ??
    (filter.terms === undefined
      ? sql`
          select l.id from links l
          where l.workspace_id = ${workspaceId} and l.id >= ${range.from} and l.id < ${range.below} limit ${size}`
      : sql`${selectByTerms(workspaceId, filter.terms)} and l.id >= ${range.from} and l.id < ${range.below} limit ${size}`);
  const { rows } = await sql<{ walked: number; fitting: number }>`
    with walked as materialized (${walked})
    select (select count(*) from walked) as walked,
      ${
        condition === null
          ? sql`(select count(*) from walked)`
          : sql`(select count(*) from ${linksByIds(workspaceId, sql`select id from walked`)} where ${condition})`
      } as fitting
  `.execute(db);
  const { walked: scanned, fitting } = rows[0]!;
  return { count: Math.min(fitting, MAX_COUNTED), isExact: scanned <= MAX_COUNTED };
}
