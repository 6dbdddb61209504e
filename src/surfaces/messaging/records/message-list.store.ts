/**
 * Lists messages, newest first. Each list walks an index with its order, so a page costs some probes at any size.
 * Filters without an index scan windows of WINDOW rows; a full window ends the page, and the next page continues behind
 * it.
 *
 * A search scans the newest messages first, which finds common words quickly, and then uses the text index, which is
 * fast for rare ones. Common words without recent matches, or with further filters, are searched in windows.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import { type IdRange, idRange } from '../../../platform/db/uuid-time.ts';
import type { Page } from '../../../platform/http/pagination.ts';
import { type MessageRow, selectMessages } from './message.store.ts';

const WINDOW = 20_000;
/** Number of messages that a search scans before it uses the text index. */
const NEWEST = 2_000;
/** Maximum matches read from the text index; with more, the search scans windows. */
const MAX_FOUND = 5_000;

/** IDs are in the database format. */
export interface MessageFilter {
  instanceId?: string;
  chatId?: string;
  threadId?: string;
  /** Of the other side of direct chats. */
  contactId?: string;
  direction?: string;
  status?: string;
  type?: string;
  /** Words that it must have, the last one perhaps unfinished. */
  text?: string;
  createdAfter?: string;
  createdBefore?: string;
}

export interface Found {
  rows: MessageRow[];
  /** Where the page goes on although `rows` are fewer than it holds. */
  windowEnd: string | null;
}

type Part = RawBuilder<unknown>;

/** The rows to look at, newest first, by the index that fits best. */
function walk(workspaceId: string, { from, below }: IdRange, filter: MessageFilter, limit: number): Part {
  const inRange = (column: Part): Part => sql`${column} >= ${from} and ${column} < ${below}`;
  const where = (condition: Part): Part => sql`
    select m.* from messages m where m.workspace_id = ${workspaceId} and ${condition} and ${inRange(sql`m.id`)}
    order by m.id desc limit ${limit}`;
  const ofIds = (ids: Part): Part => sql`
    select m.* from (${ids}) i
    cross join lateral (select * from messages m where m.workspace_id = ${workspaceId} and m.id = i.id offset 0) m`;
  const { chatId, contactId, status, instanceId } = filter;
  if (chatId !== undefined) return where(sql`m.chat_id = ${chatId}`);
  if (contactId !== undefined)
    return sql`
      select m.* from chats c
      cross join lateral (
        select * from messages m
        where m.workspace_id = ${workspaceId} and m.chat_id = c.id and ${inRange(sql`m.id`)} order by m.id desc limit ${limit}
      ) m
      where c.workspace_id = ${workspaceId} and c.contact_id = ${contactId} order by m.id desc limit ${limit}`;
  if (status === 'failed' || status === 'canceled') return where(sql`m.failed_as = ${status}`);
  if (status === 'queued' || status === 'sending')
    return ofIds(sql`
      select q.id from send_queue q where q.workspace_id = ${workspaceId} and ${inRange(sql`q.id`)} and q.action = 'send'
      order by q.id desc limit ${limit}`);
  if (status === 'scheduled')
    return ofIds(sql`
      select s.message_id as id from scheduled_messages s
      where s.workspace_id = ${workspaceId} and ${inRange(sql`s.message_id`)} order by s.message_id desc limit ${limit}`);
  return instanceId === undefined ? where(sql`true`) : where(sql`m.instance_id = ${instanceId}`);
}

/** Returns the remaining conditions on the rows read. */
function getConditions({ instanceId, threadId, direction, status, type }: MessageFilter): Part {
  const all = [
    instanceId === undefined ? null : sql`m.instance_id = ${instanceId}`,
    threadId === undefined ? null : sql`m.thread_id = ${threadId}`,
    direction === undefined ? null : sql`m.direction = ${direction}`,
    status === undefined ? null : sql`m.status = ${status}`,
    type === undefined ? null : sql`m.type = ${type}`,
  ].filter((one) => one !== null);
  return all.length ? sql.join(all, sql` and `) : sql`true`;
}

const WORDS = sql`(to_tsvector('simple', coalesce(m.search_text, '')) || array_to_tsvector(array[m.workspace_id::text]))`;

/** @returns the query of words as PostgreSQL writes it, '' where there is no word in the text */
async function getTexts(db: Db, text: string): Promise<string> {
  const terms = text.trim().split(/\s+/);
  const last = terms.pop()!.replaceAll('\\', '\\\\').replaceAll("'", "''");
  const beginning = `'${last}':*`;
  // Matches the unsplit text too, because an address or a name with punctuation is one token when complete, and several
  // before.
  const { rows } = await sql<{ query: string }>`
    select (
      plainto_tsquery('simple', ${terms.join(' ')})
      && (to_tsquery('simple', ${beginning}) || lower(${beginning})::tsquery)
    )::text as query
  `.execute(db);
  return rows[0]!.query;
}

/** Adds the columns that the API shows to the rows of `picked`. */
async function show(db: Db, picked: Part): Promise<MessageRow[]> {
  const { rows } = await sql<MessageRow>`
    with picked as materialized (${picked})
    ${selectMessages(sql`picked`)} order by m.id desc
  `.execute(db);
  return rows;
}

/** Returns where a full window ends; null if it contains everything. */
async function getEnd(db: Db, window: Part, size: number): Promise<string | null> {
  const { rows } = await sql<{
    id: string;
  }>`select id from (${window}) m order by id desc offset ${size - 1}`.execute(db);
  return rows[0]?.id ?? null;
}

/** Checks whether the text index has so many matches that reading and sorting them would be slow. */
async function areMany(db: Db, found: Part): Promise<boolean> {
  const { rows } = await sql<{ many: boolean }>`
    select count(*) > ${MAX_FOUND} as many from (${found} limit ${MAX_FOUND + 1}) f
  `.execute(db);
  return rows[0]!.many;
}

async function search(
  db: Db,
  workspaceId: string,
  page: Page,
  filter: MessageFilter,
  text: string,
): Promise<Found> {
  const terms = await getTexts(db, text);
  if (terms === '') return { rows: [], windowEnd: null };
  const limit = page.limit + 1;
  const range = idRange(page.after, filter);
  const inChats = filter.chatId !== undefined || filter.contactId !== undefined;
  const size = inChats ? WINDOW : NEWEST;
  const window = walk(workspaceId, range, filter, size);
  const matching = (looked: Part): Part => sql`
    select * from (${looked}) m where ${getConditions(filter)} and ${WORDS} @@ ${terms}::tsquery
    order by m.id desc limit ${limit}`;
  const newest = await show(db, matching(window));
  const end = newest.length < limit ? await getEnd(db, window, size) : null;
  if (end === null || inChats) return { rows: newest, windowEnd: newest.length < limit ? end : null };
  // Not by the key: the index of words alone knows where they are. The workspace is one of the words.
  const found = sql`
    select m.* from messages m
    where m.workspace_id::text = ${workspaceId} and m.search_text is not null
      and ${WORDS} @@ (${terms}::tsquery && ${`'${workspaceId}'`}::tsquery)`;
  if (await areMany(db, found)) {
    const wide = walk(workspaceId, range, filter, WINDOW);
    const rows = await show(db, matching(wide));
    return { rows, windowEnd: rows.length < limit ? await getEnd(db, wide, WINDOW) : null };
  }
  const further = await show(
    db,
    sql`
      select * from (${found} offset 0) m
      where m.id >= ${range.from} and m.id < ${end} and ${getConditions(filter)}
      order by m.id desc limit ${limit - newest.length}`,
  );
  return { rows: [...newest, ...further], windowEnd: null };
}

/** Newest first, one row more than the page holds. */
export async function listMessages(
  db: Db,
  workspaceId: string,
  page: Page,
  filter: MessageFilter,
): Promise<Found> {
  if (filter.text !== undefined) return search(db, workspaceId, page, filter, filter.text);
  const { direction, status, type, instanceId, chatId, contactId, threadId } = filter;
  const walksInstance = chatId === undefined && contactId === undefined && status === undefined;
  const isWindow =
    threadId !== undefined ||
    direction !== undefined ||
    type !== undefined ||
    status !== undefined ||
    (instanceId !== undefined && !walksInstance);
  const size = isWindow ? WINDOW : page.limit + 1;
  const window = walk(workspaceId, idRange(page.after, filter), filter, size);
  const rows = await show(
    db,
    sql`select * from (${window}) m where ${getConditions(filter)} order by m.id desc limit ${page.limit + 1}`,
  );
  const isFull = !isWindow || rows.length > page.limit;
  return { rows, windowEnd: isFull ? null : await getEnd(db, window, size) };
}

/** Messages of a chat, one row more than the page holds. */
export async function listChatMessages(
  db: Db,
  workspaceId: string,
  chatId: string,
  page: Page,
  { order, ...created }: { order: 'asc' | 'desc'; createdAfter?: string; createdBefore?: string },
): Promise<MessageRow[]> {
  const { from, below } = idRange(order === 'desc' ? page.after : null, created);
  const beyond = order === 'asc' && page.after !== null ? sql`and m.id > ${page.after}` : sql``;
  const { rows } = await sql<MessageRow>`
    ${selectMessages(sql`messages`)}
    where m.workspace_id = ${workspaceId} and m.chat_id = ${chatId} and m.id >= ${from} and m.id < ${below} ${beyond}
    order by m.id ${order === 'asc' ? sql`asc` : sql`desc`} limit ${page.limit + 1}
  `.execute(db);
  return rows;
}
