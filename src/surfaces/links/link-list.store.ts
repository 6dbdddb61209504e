/**
 * Lists of links: by time, by clicks, or by the last click. Every list walks an index, so that a page costs some probes
 * however many links there are; what no index is about is looked for in a window of so many rows, and where that is full
 * the page goes on behind it.
 *
 * In the order of time a filter's own index is walked. In the order of clicks it depends on how many links fit. Of few,
 * all are sorted. Of more, the ids are read from the filter's index and the order's index is walked for them: both are
 * read alone, without the rows, which lie anywhere. Of many, the links in that order are looked at one by one. So it is
 * with a search, but that its index is asked only where the first links don't show that many fit.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { type IdRange, idRange } from '../../platform/db/uuid-time.ts';
import { conditionOf, type Index, indexOf, type PageCursor, type Question } from './link-filter.store.ts';
import { type LinkRow, selectLinks } from './link.store.ts';

/** Links that are looked at for a page, each by a probe. */
const WINDOW = 4_000;
/** Of them, those that are looked at before anything else is tried. */
const FIRST = 600;
/** Where so many of the first fit, the window has about a page of them. */
const MANY_OF_FIRST = 6;
/** So many are read and sorted at once, by a probe each. */
const MAX_SORTED = 2_000;
/** Of so many the ids are read. */
const MAX_GATHERED = 20_000;
/** In so many rows of the order's index they are looked for; in fewer where each that is found must be looked at. */
const MAX_WALKED = 50_000;
const MAX_WALKED_AND_LOOKED_AT = 10_000;

export interface ListedLink extends LinkRow {
  sort_key: string;
}

export interface Found {
  rows: ListedLink[];
  /** Where the page goes on although `rows` are fewer than it holds. */
  windowEnd: PageCursor | null;
}

type Part = RawBuilder<unknown>;

/** What orders a list, but that by time, out of `n`, its counters. */
const KEYS = {
  clicks: { key: sql`n.clicks`, shown: sql`n.clicks::text`, read: (key: string) => sql`${key}::bigint` },
  last_clicked_at: {
    key: sql`coalesce(n.last_clicked_at, '-infinity')`,
    // Microseconds: a cursor takes no other than whole numbers.
    shown: sql`coalesce((extract(epoch from n.last_clicked_at) * 1000000)::bigint::text, '')`,
    read: (key: string) =>
      key === ''
        ? sql`'-infinity'::timestamptz`
        : sql`('epoch'::timestamptz + ${key}::bigint * interval '1 microsecond')`,
  },
} as const;

/** Links by their ids, one probe each: `walked` has `id`, perhaps more. Its order stays. */
const ofIds = (workspaceId: string, walked: Part): Part => sql`
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

/** Ids that the index of words finds. By the workspace as a text: else an index of the workspace might be walked instead. */
const foundByWords = (workspaceId: string, terms: string): Part => sql`
  select l.id from links l where l.words @@ ${terms}::tsquery and l.workspace_id::text = ${workspaceId}`;

/** Those ids where they are few; else null. By value: they are gathered once. */
async function fewByWords(db: Db, workspaceId: string, terms: string): Promise<Part | null> {
  // Not limited where the plan is made: it would then rather look through all links.
  const { rows } = await sql<{ ids: string[] | null }>`
    with found as materialized (${foundByWords(workspaceId, terms)})
    select array_agg(id) as ids from (select id from found limit ${MAX_SORTED + 1}) f
  `.execute(db);
  const ids = rows[0]!.ids ?? [];
  return ids.length > MAX_SORTED ? null : sql`select id from unnest(${ids}::uuid[]) id`;
}

/** How `w`, what was walked, is ordered; how `p` and `s`, what is shown, are. */
interface Order {
  walked: Part;
  shown: Part;
}

interface Window {
  /** Rows with `id`, `sort_key`, and what their order goes by (`sort_by`), in that order. */
  rows: Part;
  /** Of those that are walked the one behind which nothing was looked at, where there is one; null: there is none. */
  last: Part | null;
  condition: Part | null;
  order: Order;
}

/** Walks a window for what fits, no further than the page is full. */
async function lookThrough(
  db: Db,
  { workspaceId, limit: most }: Question,
  { rows: window, last: lastOf, condition, order }: Window,
): Promise<Found> {
  const rows = await show(
    db,
    sql`
      select l.*, w.* from (
        select w.id as walked_id, w.sort_key, w.sort_by from (${window}) w
      ) w cross join lateral (
        select * from links l where l.workspace_id = ${workspaceId} and l.id = w.walked_id offset 0
      ) l
      where ${condition ?? sql`true`} order by ${order.walked} limit ${most}`,
    order.shown,
  );
  if (lastOf === null || rows.length === most) return { rows, windowEnd: null };
  const { rows: last } = await sql<{ sort_key: string; walked_id: string }>`
    select id as walked_id, sort_key from (${lastOf}) w
  `.execute(db);
  return { rows, windowEnd: last[0] ? { key: last[0].sort_key, id: last[0].walked_id } : null };
}

/** The last of `size` rows that are walked. */
const lastOf = (rows: Part, size: number): Part => sql`select * from (${rows}) e offset ${size - 1}`;

const NEWEST_FIRST: Order = { walked: sql`w.walked_id desc`, shown: sql`s.id desc` };

const walkAll = (workspaceId: string, { from, below }: IdRange, limit: number): Part => sql`
  select l.id from links l where l.workspace_id = ${workspaceId} and l.id >= ${from} and l.id < ${below}
  order by l.id desc limit ${limit}`;

async function newestFirst(db: Db, question: Question): Promise<Found> {
  const { workspaceId, filter, after, limit: most } = question;
  const range = idRange(after?.id ?? null, filter);
  const index = indexOf(question);
  const condition = conditionOf(question, index?.covers);
  const order = NEWEST_FIRST;
  const inWindow = (size: number): Window => {
    const walked = index?.walk(range, size) ?? walkAll(workspaceId, range, size);
    const rows = sql`select id, '' as sort_key, null as sort_by from (${walked}) i`;
    return { rows, last: condition === null ? null : lastOf(rows, size), condition, order };
  };
  if (condition === null) return lookThrough(db, question, inWindow(most));
  // Of several tags as many are walked of each.
  const size = Math.max(most, Math.floor(WINDOW / (filter.tagIds?.length ?? 1)));
  if (index || filter.terms === undefined) return lookThrough(db, question, inWindow(size));
  // Common words are among the newest, and the index would have to gather all that have them.
  const newest = await lookThrough(db, question, inWindow(FIRST));
  if (newest.windowEnd === null) return newest;
  const few = newest.rows.length >= MANY_OF_FIRST ? null : await fewByWords(db, workspaceId, filter.terms);
  if (!few) return lookThrough(db, question, inWindow(size));
  const picked = sql`
    select l.*, '' as sort_key from ${ofIds(workspaceId, few)}
    where l.id >= ${range.from} and l.id < ${range.below} and ${condition} order by l.id desc limit ${most}`;
  return { rows: await show(db, picked, order.shown), windowEnd: null };
}

/** How many an index has, and how many of them fit as far as it knows; one more than `most` at most. */
async function countGathered(
  db: Db,
  index: Index,
  range: IdRange,
  limit: number,
): Promise<{ looked: number; fitting: number }> {
  const { rows } = await sql<{ looked: number; fitting: number }>`
    select count(*) as looked, count(*) filter (where fits) as fitting
    from (${index.gather(range, limit + 1)}) g
  `.execute(db);
  return rows[0]!;
}

/** An index of links by time, for what no filter has an index of. */
const byTime = (workspaceId: string): Index => ({
  covers: null,
  walk: (range, limit) => walkAll(workspaceId, range, limit),
  gather: (range, limit) => sql`select id, true as fits from (${walkAll(workspaceId, range, limit)}) i`,
});

async function byCounters(db: Db, question: Question, sort: keyof typeof KEYS): Promise<Found> {
  const { workspaceId, filter, after, limit: most } = question;
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
  const condition = all(conditionOf(question), inTime);
  const inWindow = (size: number): Window => ({
    rows: counters(size),
    last: lastOf(counters(size), size),
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
  if (condition === null) return lookThrough(db, question, { ...inWindow(most), last: null });
  const index = indexOf(question) ?? (isTimed && filter.terms === undefined ? byTime(workspaceId) : null);
  // The range is seen to by an index as well.
  const rest = index && conditionOf(question, index.covers);
  const idsIn = ({ gather }: Index): Part =>
    sql`select id from (${gather(range, MAX_GATHERED + 1)}) g where fits`;
  if (index && (await countGathered(db, index, range, MAX_SORTED)).looked <= MAX_SORTED)
    return lookThrough(db, question, sorted(idsIn(index), rest));
  const first = await lookThrough(db, question, inWindow(Math.max(FIRST, most)));
  if (first.windowEnd === null) return first;
  if (index) {
    const { looked, fitting } = await countGathered(db, index, range, MAX_GATHERED);
    const ids = idsIn(index);
    if (looked <= MAX_GATHERED && fitting <= MAX_SORTED) return lookThrough(db, question, sorted(ids, rest));
    if (looked <= MAX_GATHERED) {
      const size = rest === null ? MAX_WALKED : MAX_WALKED_AND_LOOKED_AT;
      return lookThrough(db, question, {
        // Not a join: that would read to the end before it sorts.
        rows: sql`select * from (${counters(size)}) c where (c.id in (${ids})) is true`,
        last: lastOf(counters(size), size),
        condition: rest,
        order,
      });
    }
  } else if (filter.terms !== undefined && first.rows.length < MANY_OF_FIRST) {
    const few = await fewByWords(db, workspaceId, filter.terms);
    if (few) return lookThrough(db, question, sorted(few, condition));
  }
  return lookThrough(db, question, inWindow(Math.max(WINDOW, most)));
}

/** In their order, one row more than the page holds. */
export const listLinks = (db: Db, question: Question): Promise<Found> =>
  question.sort === 'created_at' ? newestFirst(db, question) : byCounters(db, question, question.sort);

/** Counting goes no further. */
const MAX_COUNTED = 10_000;

/** @returns how many fit, and whether that is all */
export async function countLinks(db: Db, question: Question): Promise<{ count: number; isExact: boolean }> {
  const { workspaceId, filter } = question;
  const range = idRange(null, filter);
  const index = indexOf(question);
  const condition = conditionOf(question, index?.covers);
  const size = MAX_COUNTED + 1;
  const walked =
    index?.walk(range, size) ??
    (filter.terms === undefined
      ? sql`
          select l.id from links l
          where l.workspace_id = ${workspaceId} and l.id >= ${range.from} and l.id < ${range.below} limit ${size}`
      : sql`${foundByWords(workspaceId, filter.terms)} and l.id >= ${range.from} and l.id < ${range.below} limit ${size}`);
  const { rows } = await sql<{ walked: number; fitting: number }>`
    with walked as materialized (${walked})
    select (select count(*) from walked) as walked,
      ${
        condition === null
          ? sql`(select count(*) from walked)`
          : sql`(select count(*) from ${ofIds(workspaceId, sql`select id from walked`)} where ${condition})`
      } as fitting
  `.execute(db);
  const { walked: looked, fitting } = rows[0]!;
  return { count: Math.min(fitting, MAX_COUNTED), isExact: looked <= MAX_COUNTED };
}
