/**
 * Lists contacts: newest first, or sorted by name, address or word of the name when searching by its prefix. Each list
 * uses an index with its order; filters without an index scan a window of WINDOW rows, and a full window ends the page.
 * The cost of a page is therefore independent of the number of contacts.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import { idRange } from '../../../platform/db/uuid-time.ts';
import type { Page } from '../../../platform/http/pagination.ts';
import { type ContactRow, selectContacts } from './contact.store.ts';

const WINDOW = 5_000;
/** The last code point: no text contains it, and none sorts after it. */
const LAST_CHARACTER = '\u{10ffff}';

export interface ContactFilter {
  /** Prefix of the name. */
  name?: string;
  /** Prefixes of words of the name, as returned by `splitSearch`. */
  words?: string[];
  /** Prefix of an address. */
  address?: string;
  instanceId?: string;
  blocked?: boolean;
  createdAfter?: string;
  createdBefore?: string;
}

/** A contact with its sort key: the name, word or address; null if the list is sorted by ID. */
export type ListedContact = ContactRow & { sort_key: string | null };

interface Place {
  sort_key: string | null;
  id: string;
}

/** Whether a list is sorted by a text instead of by ID. */
const isSortedBy = ({ name, words, address }: ContactFilter): boolean =>
  name !== undefined || words !== undefined || address !== undefined;

/** Returns the content of a cursor. */
export const toCursor = ({ sort_key: key, id }: Place): string =>
  key === null ? id : `${id}.${Buffer.from(key).toString('base64url')}`;

const CURSOR = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\.([\w-]*))?$/;

/** Checks whether a cursor belongs to a list with this filter. */
export const isCursorFor =
  (filter: ContactFilter) =>
  (key: string): boolean => {
    const sorted = isSortedBy(filter);
    const match = CURSOR.exec(key);
    if (!match || (match[2] === undefined) === sorted) return false;
    return !Buffer.from(match[2] ?? '', 'base64url').includes(0);
  };

function getLocation({ after }: Page): Place | null {
  if (after === null) return null;
  const [, id, key] = CURSOR.exec(after)!;
  return { id: id!, sort_key: key === undefined ? null : Buffer.from(key, 'base64url').toString() };
}

type Part = RawBuilder<unknown>;

const NAME = sql`lower(coalesce(c.name, c.profile_name)) collate "C"`;
const WORD = sql`o.word`;
const ADDRESS = sql`lower(i.address) collate "C"`;

const begins = (column: Part, prefix: string): Part =>
  sql`${column} >= lower(${prefix}::text) and ${column} < lower(${prefix}::text) || ${LAST_CHARACTER}`;

/** Words are stored in lower case; calling `lower` would prevent the use of their index. */
const wordBegins = (prefix: string): Part =>
  sql`${WORD} >= ${prefix}::text and ${WORD} < ${prefix}::text || ${LAST_CHARACTER}`;

/** Returns the word that a search iterates over: the longest, which probably has the fewest contacts. */
const getLead = (words: readonly string[]): string =>
  words.reduce((longest, word) => (word.length > longest.length ? word : longest), '');

/** Reads IDs of contacts in list order, using the most suitable index. */
function walk(workspaceId: string, filter: ContactFilter, after: Place | null, limit: number): Part {
  const { name, words, address, instanceId, blocked } = filter;
  const beyond = (key: Part, id: Part): Part =>
    after === null
      ? sql`true`
      : sql`(${key}, ${id}) > (${after.sort_key}::text collate "C", ${after.id}::uuid)`;
  if (name !== undefined)
    return sql`
      select c.id, ${NAME} as sort_key from contacts c
      where c.workspace_id = ${workspaceId} and ${begins(NAME, name)} and ${beyond(NAME, sql`c.id`)}
      order by ${NAME}, c.id limit ${limit}`;
  if (words !== undefined)
    return sql`
      select o.contact_id as id, ${WORD} as sort_key from contact_words o
      where o.workspace_id = ${workspaceId} and ${wordBegins(getLead(words))} and ${beyond(WORD, sql`o.contact_id`)}
      order by ${WORD}, o.contact_id limit ${limit}`;
  if (address !== undefined)
    return sql`
      select distinct i.contact_id as id, ${ADDRESS} as sort_key from contact_identities i
      where i.workspace_id = ${workspaceId} and ${begins(ADDRESS, address)} and ${beyond(ADDRESS, sql`i.contact_id`)}
      order by ${ADDRESS}, i.contact_id limit ${limit}`;
  const { from, below } = idRange(after?.id ?? null, filter);
  if (instanceId !== undefined)
    return sql`
      select distinct i.contact_id as id, null::text as sort_key from contact_identities i
      where i.workspace_id = ${workspaceId} and i.instance_id = ${instanceId}
        and i.contact_id >= ${from} and i.contact_id < ${below}
      order by i.contact_id desc limit ${limit}`;
  return sql`
    select c.id, null::text as sort_key from contacts c
    where c.workspace_id = ${workspaceId} and c.id >= ${from} and c.id < ${below} ${blocked ? sql`and c.blocked` : sql``}
    order by c.id desc limit ${limit}`;
}

/** Returns the remaining condition on the contacts read; null if there is none. */
function getCondition(filter: ContactFilter): Part | null {
  const { name, words, address, instanceId, blocked, createdAfter, createdBefore } = filter;
  const isSorted = isSortedBy(filter);
  const has = (condition: Part): Part => sql`exists (
    select from contact_identities i where i.workspace_id = c.workspace_id and i.contact_id = c.id and ${condition}
  )`;
  const hasWord = (condition: Part): Part => sql`exists (
    select from contact_words o where o.workspace_id = c.workspace_id and o.contact_id = c.id and ${condition}
  )`;
  const lead = words && name === undefined ? getLead(words) : null;
  const conditions = [
    // A contact with several matching words or addresses is listed under the first one.
    lead === null ? null : sql`not ${hasWord(sql`${wordBegins(lead)} and ${WORD} < w.sort_key`)}`,
    ...(words ?? []).filter((word) => word !== lead).map((word) => hasWord(wordBegins(word))),
    name === undefined && words === undefined && address !== undefined
      ? sql`not ${has(sql`${begins(ADDRESS, address)} and ${ADDRESS} < w.sort_key`)}`
      : null,
    (name !== undefined || words !== undefined) && address !== undefined
      ? has(begins(ADDRESS, address))
      : null,
    isSorted && instanceId !== undefined ? has(sql`i.instance_id = ${instanceId}`) : null,
    blocked === undefined || (blocked && !isSorted && instanceId === undefined)
      ? null
      : sql`c.blocked = ${blocked}`,
    isSorted && createdAfter ? sql`c.created_at > ${new Date(createdAfter)}` : null,
    isSorted && createdBefore ? sql`c.created_at < ${new Date(createdBefore)}` : null,
  ].filter((one) => one !== null);
  return conditions.length ? sql.join(conditions, sql` and `) : null;
}

/** Lists contacts in order, one row more than the page holds. */
export async function listContacts(
  db: Db,
  workspaceId: string,
  page: Page,
  filter: ContactFilter,
): Promise<{ rows: ListedContact[]; windowEnd: string | null }> {
  if (filter.words?.length === 0) return { rows: [], windowEnd: null };
  const condition = getCondition(filter);
  const isSorted = isSortedBy(filter);
  const limit = page.limit + 1;
  const size = condition ? Math.max(WINDOW, limit) : limit;
  const window = walk(workspaceId, filter, getLocation(page), size);
  const order = isSorted ? sql`sort_key collate "C", id` : sql`id desc`;
  const picked = sql`(
    select c.*, w.sort_key from (${window}) w
    join contacts c on c.workspace_id = ${workspaceId} and c.id = w.id
    where ${condition ?? sql`true`}
    order by ${isSorted ? sql`w.sort_key collate "C", c.id` : sql`c.id desc`} limit ${limit}
  )`;
  const { rows } = await sql<ListedContact>`
    select * from (${selectContacts(picked)}) shown order by ${order}
  `.execute(db);
  if (!condition || rows.length === limit) return { rows, windowEnd: null };
  const { rows: last } = await sql<Place>`
    select id, sort_key from (${window}) w order by ${order} offset ${size - 1}
  `.execute(db);
  return { rows, windowEnd: last[0] ? toCursor(last[0]) : null };
}
