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
import type { LinkSort, LinkState } from './link.schema.ts';
import { type LinkRow, selectLinks } from './link.store.ts';

const WINDOW = 4_000;
/** So many are read and sorted at once. */
const MOST_SORTED = 4_000;

/** Ids are the database's. */
export interface LinkFilter {
  domain?: string;
  tagIds?: string[];
  state?: LinkState;
  /** A tsquery. */
  words?: string;
  externalId?: string;
  contactId?: string;
  messageId?: string;
  createdBy?: string;
  hasPassword?: boolean;
  createdAfter?: string;
  createdBefore?: string;
}

/** Where a page ends: the key of its order, as text, and the id. */
export interface Place {
  key: string;
  id: string;
}

export interface ListedLink extends LinkRow {
  sort_key: string;
}

export interface Found {
  rows: ListedLink[];
  /** Where the page goes on although `rows` are fewer than it holds. */
  windowEnd: Place | null;
}

type Part = RawBuilder<unknown>;

interface Question {
  workspaceId: string;
  filter: LinkFilter;
  sort: LinkSort;
  after: Place | null;
  /** One more than the page holds. */
  most: number;
  now: Date;
}

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

/** The filter with an index of its own that fewest fit; ids, by their order. `null` where there is none. */
function indexOf({ workspaceId, filter, now }: Question): ((range: IdRange, limit: number) => Part) | null {
  const { externalId, messageId, contactId, words, tagIds, state, hasPassword, createdBy, domain } = filter;
  const links =
    (condition: Part) =>
    ({ from, below }: IdRange, limit: number): Part =>
      sql`
      select l.id from links l
      where l.workspace_id = ${workspaceId} and ${condition} and l.id >= ${from} and l.id < ${below}
      order by l.id desc limit ${limit}`;
  if (externalId !== undefined) return links(sql`l.external_id = ${externalId}`);
  if (messageId !== undefined) return links(sql`l.message_id = ${messageId}`);
  if (contactId !== undefined) return links(sql`l.contact_id = ${contactId}`);
  if (tagIds !== undefined)
    return ({ from, below }, limit) => sql`
      select distinct t.link_id as id from unnest(${tagIds}::uuid[]) tag
      cross join lateral (
        select t.link_id from link_tags t
        where t.workspace_id = ${workspaceId} and t.tag_id = tag and t.link_id >= ${from} and t.link_id < ${below}
        order by t.link_id desc limit ${limit}
      ) t order by id desc limit ${limit}`;
  if (state === 'exhausted')
    return ({ from, below }, limit) => sql`
      select b.link_id as id from link_budgets b
      where b.workspace_id = ${workspaceId} and b.link_id >= ${from} and b.link_id < ${below}
      order by b.link_id desc limit ${limit}`;
  if (state === 'archived') return links(sql`l.archived_at is not null`);
  if (state === 'expired') return links(sql`l.expires_at is not null and l.expires_at <= ${now}`);
  if (hasPassword) return links(sql`l.password_hash is not null`);
  if (words !== undefined) return null;
  if (createdBy !== undefined) return links(sql`l.created_by = ${createdBy}`);
  if (domain !== undefined) return links(sql`l.domain = ${domain}`);
  return null;
}

const SPENT = sql`exists (
  select from link_budgets b where b.workspace_id = l.workspace_id and b.link_id = l.id and b.used >= b.max
)`;

/** Archived before expired before exhausted. */
function stateIs(state: LinkState, now: Date): Part {
  const isOver = sql`(l.expires_at is not null and l.expires_at <= ${now})`;
  switch (state) {
    case 'archived':
      return sql`l.archived_at is not null`;
    case 'expired':
      return sql`l.archived_at is null and ${isOver}`;
    case 'exhausted':
      return sql`l.archived_at is null and not ${isOver} and ${SPENT}`;
    case 'active':
      return sql`l.archived_at is null and not ${isOver} and (l.max_clicks is null or not ${SPENT})`;
  }
}

/** What a link `l` must be; null for nothing. */
function conditionOf({ filter, now }: Question): Part | null {
  const { domain, tagIds, state, words, externalId, contactId, messageId, createdBy, hasPassword } = filter;
  const all = [
    domain === undefined ? null : sql`l.domain = ${domain}`,
    tagIds === undefined
      ? null
      : sql`exists (
          select from link_tags t
          where t.workspace_id = l.workspace_id and t.tag_id = any(${tagIds}::uuid[]) and t.link_id = l.id
        )`,
    state === undefined ? null : stateIs(state, now),
    words === undefined ? null : sql`l.words @@ ${words}::tsquery`,
    externalId === undefined ? null : sql`l.external_id = ${externalId}`,
    contactId === undefined ? null : sql`l.contact_id = ${contactId}`,
    messageId === undefined ? null : sql`l.message_id = ${messageId}`,
    createdBy === undefined ? null : sql`l.created_by = ${createdBy}`,
    hasPassword === undefined ? null : sql`(l.password_hash is not null) = ${hasPassword}`,
  ].filter((one) => one !== null);
  return all.length ? sql.join(all, sql` and `) : null;
}

/** Links by their ids, one probe each: `walked` has `id`, perhaps `sort_key`. */
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

async function areMany(db: Queryable, ids: Part): Promise<boolean> {
  const { rows } = await sql<{ many: boolean }>`
    select count(*) > ${MOST_SORTED} as many from (${ids} limit ${MOST_SORTED + 1}) f
  `.execute(db);
  return rows[0]!.many;
}

/** Ids that the index of words finds: the workspace is one of the words. */
const foundByWords = (workspaceId: string, words: string): Part => sql`
  select l.id from links l
  where l.words @@ (${words}::tsquery && ${`'${workspaceId}'`}::tsquery) and l.workspace_id::text = ${workspaceId}`;

/** All ids that a filter's index has where they are few; else null. */
async function fewOf(db: Queryable, question: Question, range: IdRange): Promise<Part | null> {
  const { workspaceId, filter } = question;
  const index = indexOf(question);
  const all = index
    ? sql`select id from (${index(range, MOST_SORTED + 1)}) i`
    : filter.words === undefined
      ? null
      : foundByWords(workspaceId, filter.words);
  return all !== null && !(await areMany(db, all)) ? all : null;
}

const NEWEST_FIRST = sql`s.id desc`;

/** Walks `window` of `size` rows for what fits. */
async function lookThrough(
  db: Queryable,
  { workspaceId, most }: Question,
  {
    window,
    size,
    condition,
    order,
  }: { window: Part; size: number; condition: Part | null; order: [Part, Part, Part] },
): Promise<Found> {
  const [shown, picking, walking] = order;
  const rows = await show(
    db,
    sql`
      select l.*, w.sort_key from ${ofIds(workspaceId, window)}
      where ${condition ?? sql`true`} order by ${picking} limit ${most}`,
    shown,
  );
  if (condition === null || rows.length === most) return { rows, windowEnd: null };
  const { rows: last } = await sql<{ sort_key: string; id: string }>`
    select sort_key, id from (${window}) w order by ${walking} offset ${size - 1}
  `.execute(db);
  return { rows, windowEnd: last[0] ? { key: last[0].sort_key, id: last[0].id } : null };
}

async function newestFirst(db: Queryable, question: Question): Promise<Found> {
  const { workspaceId, filter, after, most } = question;
  const range = idRange(after?.id ?? null, filter);
  const condition = conditionOf(question);
  const index = indexOf(question);
  if (!index && filter.words !== undefined) {
    const few = await fewOf(db, question, range);
    if (few)
      return {
        rows: await show(
          db,
          sql`
            select l.*, '' as sort_key from ${ofIds(workspaceId, sql`select id from (${few} offset 0) f`)}
            where l.id >= ${range.from} and l.id < ${range.below} and ${condition!} order by l.id desc limit ${most}`,
          NEWEST_FIRST,
        ),
        windowEnd: null,
      };
  }
  const size = condition === null ? most : Math.max(WINDOW, most);
  const walked = index
    ? index(range, size)
    : sql`
        select l.id from links l where l.workspace_id = ${workspaceId} and l.id >= ${range.from} and l.id < ${range.below}
        order by l.id desc limit ${size}`;
  return lookThrough(db, question, {
    window: sql`select id, '' as sort_key from (${walked}) i`,
    size,
    condition,
    order: [NEWEST_FIRST, sql`l.id desc`, sql`id desc`],
  });
}

async function byCounters(db: Queryable, question: Question, sort: keyof typeof KEYS): Promise<Found> {
  const { workspaceId, filter, after, most } = question;
  const { key, shown, read } = KEYS[sort];
  const range = idRange(null, filter);
  const isTimed = filter.createdAfter !== undefined || filter.createdBefore !== undefined;
  const inTime = sql`n.link_id >= ${range.from} and n.link_id < ${range.below}`;
  const beyond =
    after === null ? sql`true` : sql`(${key}, n.link_id) < (${read(after.key)}, ${after.id}::uuid)`;
  const counters = (condition: Part, limit: number): Part => sql`
    select n.link_id as id, ${shown} as sort_key, ${key} as sort_by from link_counters n
    where n.workspace_id = ${workspaceId} and ${beyond} and ${condition}
    order by ${key} desc, n.link_id desc limit ${limit}`;
  const order = [
    sql`p.sort_by desc, s.id desc`,
    sql`w.sort_by desc, l.id desc`,
    sql`sort_by desc, id desc`,
  ] as [Part, Part, Part];
  const condition = conditionOf(question);
  const few = await fewOf(db, question, range);
  const pick = (window: Part): Part => sql`
    select l.*, w.sort_key, w.sort_by from ${ofIds(workspaceId, window)}
    where ${condition ?? sql`true`} order by ${order[1]} limit ${most}`;
  if (few) {
    const of = sql`n.link_id in (select id from (${few} offset 0) f) and ${inTime}`;
    return { rows: await show(db, pick(counters(of, MOST_SORTED)), order[0]), windowEnd: null };
  }
  const size = condition === null && !isTimed ? most : Math.max(WINDOW, most);
  // Times are looked at within the window, which would else go through all.
  const window = counters(sql`true`, size);
  const rows = await show(
    db,
    pick(
      isTimed
        ? sql`select * from (${window}) n where n.id >= ${range.from} and n.id < ${range.below}`
        : window,
    ),
    order[0],
  );
  if (size === most || rows.length === most) return { rows, windowEnd: null };
  const { rows: last } = await sql<{ sort_key: string; id: string }>`
    select sort_key, id from (${window}) w order by ${order[2]} offset ${size - 1}
  `.execute(db);
  return { rows, windowEnd: last[0] ? { key: last[0].sort_key, id: last[0].id } : null };
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
  const condition = conditionOf(question);
  const size = MOST_COUNTED + 1;
  const index = indexOf(question);
  const walked =
    index?.(range, size) ??
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
