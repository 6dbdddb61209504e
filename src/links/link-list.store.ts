/**
 * Lists of links: by time, by clicks, or by the last click. Every list walks an index, so that a page costs some probes
 * however many links there are; what no index is about is looked for in a window of WINDOW rows, and where that is full
 * the page goes on behind it.
 *
 * In the order of time a filter's own index is walked. In the order of clicks a filter that few links fit has all of
 * them sorted; else the order's index is walked. So is a search: the index of words where it finds few, windows where it
 * finds many, which are near then.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../db/database.ts';
import { type IdRange, idRange } from '../db/uuid-time.ts';
import { conditionOf, indexOf, type Place, type Question } from './link-filter.store.ts';
import { type LinkRow, selectLinks } from './link.store.ts';

const WINDOW = 4_000;
/** So many are read and sorted at once. */
const MOST_SORTED = 2_000;
/** Links that a search looks at before it asks the index of words. */
const NEWEST = 1_000;

export interface ListedLink extends LinkRow {
  sort_key: string;
}

export interface Found {
  rows: ListedLink[];
  /** Where the page goes on although `rows` are fewer than it holds. */
  windowEnd: Place | null;
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

async function show(db: Queryable, picked: Part, order: Part): Promise<ListedLink[]> {
  const { rows } = await sql<ListedLink>`
    with picked as materialized (${picked})
    select s.*, p.sort_key from (${selectLinks(sql`picked`)}) s join picked p on p.id = s.id order by ${order}
  `.execute(db);
  return rows;
}

/** All ids that a filter's index has where they are few; else null. */
async function fewOf(db: Queryable, question: Question, range: IdRange): Promise<Part | null> {
  const { workspaceId, filter } = question;
  const index = indexOf(question);
  const all = index
    ? sql`select id from (${index.walk(range, MOST_SORTED + 1)}) i`
    : filter.words === undefined
      ? null
      : foundByWords(workspaceId, filter.words);
  if (all === null) return null;
  const { rows } = await sql<{ many: boolean }>`
    select count(*) > ${MOST_SORTED} as many from (${all} limit ${MOST_SORTED + 1}) f
  `.execute(db);
  return rows[0]!.many ? null : all;
}

/** Ids that the index of words finds: the workspace is one of the words. */
const foundByWords = (workspaceId: string, words: string): Part => sql`
  select l.id from links l
  where l.words @@ (${words}::tsquery && ${`'${workspaceId}'`}::tsquery) and l.workspace_id::text = ${workspaceId}`;

/** How `w`, what was walked, is ordered; how `p` and `s`, what is shown, are. */
interface Order {
  walked: Part;
  shown: Part;
}

interface Window {
  /** Rows with `id`, `sort_key`, and what their order goes by, in that order: at most `size` of them. */
  rows: Part;
  size: number;
  condition: Part | null;
  order: Order;
}

/** Walks a window for what fits, no further than the page is full. */
async function lookThrough(
  db: Queryable,
  { workspaceId, most }: Question,
  { rows: window, size, condition, order }: Window,
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
  if (condition === null || rows.length === most) return { rows, windowEnd: null };
  const { rows: last } = await sql<{ sort_key: string; walked_id: string }>`
    select id as walked_id, sort_key from (${window}) w offset ${size - 1}
  `.execute(db);
  return { rows, windowEnd: last[0] ? { key: last[0].sort_key, id: last[0].walked_id } : null };
}

const NEWEST_FIRST: Order = { walked: sql`w.walked_id desc`, shown: sql`s.id desc` };

async function newestFirst(db: Queryable, question: Question): Promise<Found> {
  const { workspaceId, filter, after, most } = question;
  const range = idRange(after?.id ?? null, filter);
  const index = indexOf(question);
  const condition = conditionOf(question, index?.covers);
  const size = condition === null ? most : Math.max(WINDOW, most);
  const walked = (limit: number): Part =>
    index?.walk(range, limit) ??
    sql`
      select l.id from links l where l.workspace_id = ${workspaceId} and l.id >= ${range.from} and l.id < ${range.below}
      order by l.id desc limit ${limit}`;
  const inWindow = (limit: number): Window => ({
    rows: sql`select id, '' as sort_key, null as sort_by from (${walked(limit)}) i`,
    size: limit,
    condition,
    order: NEWEST_FIRST,
  });
  if (index || filter.words === undefined) return lookThrough(db, question, inWindow(size));
  // Common words are among the newest, and the index would have to gather all that have them.
  const newest = await lookThrough(db, question, inWindow(NEWEST));
  if (newest.windowEnd === null) return newest;
  const few = await fewOf(db, question, range);
  if (!few) return lookThrough(db, question, inWindow(size));
  const picked = sql`
    select l.*, '' as sort_key from ${ofIds(workspaceId, sql`select id from (${few} offset 0) f`)}
    where l.id >= ${range.from} and l.id < ${range.below} and ${condition!} order by l.id desc limit ${most}`;
  return { rows: await show(db, picked, NEWEST_FIRST.shown), windowEnd: null };
}

async function byCounters(db: Queryable, question: Question, sort: keyof typeof KEYS): Promise<Found> {
  const { workspaceId, filter, after, most } = question;
  const { key, shown, read } = KEYS[sort];
  const range = idRange(null, filter);
  const inTime =
    filter.createdAfter === undefined && filter.createdBefore === undefined
      ? null
      : sql`l.id >= ${range.from} and l.id < ${range.below}`;
  const beyond =
    after === null ? sql`true` : sql`(${key}, n.link_id) < (${read(after.key)}, ${after.id}::uuid)`;
  const counters = (condition: Part, limit: number): Part => sql`
    select n.link_id as id, ${shown} as sort_key, ${key} as sort_by from link_counters n
    where n.workspace_id = ${workspaceId} and ${beyond} and ${condition}
    order by ${key} desc, n.link_id desc limit ${limit}`;
  const order = { walked: sql`w.sort_by desc, w.walked_id desc`, shown: sql`p.sort_by desc, s.id desc` };
  const all = [conditionOf(question), inTime].filter((one) => one !== null);
  const condition = all.length ? sql.join(all, sql` and `) : null;
  const inWindow = (size: number): Window => ({ rows: counters(sql`true`, size), size, condition, order });
  if (condition === null) return lookThrough(db, question, inWindow(most));
  const isSearch = filter.words !== undefined && !indexOf(question);
  if (isSearch) {
    const first = await lookThrough(db, question, inWindow(NEWEST));
    if (first.windowEnd === null) return first;
  }
  const few = await fewOf(db, question, range);
  return lookThrough(
    db,
    question,
    few
      ? {
          ...inWindow(MOST_SORTED + 1),
          rows: counters(sql`n.link_id in (select id from (${few} offset 0) f)`, MOST_SORTED + 1),
        }
      : // Probes of links all over the table: each may be one of the disk.
        inWindow(Math.max(NEWEST, most)),
  );
}

/** In their order, one row more than the page holds. */
export const listLinks = (db: Queryable, question: Question): Promise<Found> =>
  question.sort === 'created_at' ? newestFirst(db, question) : byCounters(db, question, question.sort);

/** Counting goes no further. */
export const MOST_COUNTED = 10_000;

/** @returns how many fit, and whether that is all */
export async function countLinks(
  db: Queryable,
  question: Question,
): Promise<{ count: number; isExact: boolean }> {
  const { workspaceId, filter } = question;
  const range = idRange(null, filter);
  const index = indexOf(question);
  const condition = conditionOf(question, index?.covers);
  const size = MOST_COUNTED + 1;
  const walked =
    index?.walk(range, size) ??
    (filter.words === undefined
      ? sql`
          select l.id from links l
          where l.workspace_id = ${workspaceId} and l.id >= ${range.from} and l.id < ${range.below} limit ${size}`
      : sql`${foundByWords(workspaceId, filter.words)} and l.id >= ${range.from} and l.id < ${range.below} limit ${size}`);
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
  return { count: Math.min(fitting, MOST_COUNTED), isExact: looked <= MOST_COUNTED };
}
