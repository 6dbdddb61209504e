/**
 * Lists chats by latest activity, using its index. Filters without an index scan a window of WINDOW chats per page, and
 * the next page continues after it. Chats without a message (all of theirs are still scheduled) come last.
 */
import { likePattern } from '../../../platform/db/like-pattern.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import type { Page } from '../../../platform/http/pagination.ts';
import { getChatKey, readChatKey } from '../records/chat-key.ts';
import { type ChatRow, SHOWN } from '../records/chat.store.ts';

const WINDOW = 20_000;

/** IDs are in the database format. */
export interface ChatFilter {
  instanceId?: string;
  contactId?: string;
  kind?: string;
  archived?: boolean;
  unread?: boolean;
  text?: string;
  createdAfter?: string;
  createdBefore?: string;
}

export interface FoundChats {
  rows: ChatRow[];
  /** Where the next page continues if a full window ended this one early. */
  windowEnd: string | null;
}

type Part = RawBuilder<unknown>;

/** Reads chats after a key, in list order. */
function walk(workspaceId: string, after: string | null, { contactId }: ChatFilter, limit: number): Part {
  const { activity, id } = after === null ? { activity: null, id: null } : readChatKey(after);
  const ofContact = contactId === undefined ? sql`` : sql`and c.contact_id = ${contactId}`;
  const isPastActive = activity === '-';
  const beyondActive =
    activity === null || isPastActive
      ? sql``
      : sql`and (c.last_message_at, c.id) < ('epoch'::timestamptz + ${activity}::bigint * interval '1 microsecond', ${id}::uuid)`;
  const beyondIdle = isPastActive ? sql`and c.id < ${id}::uuid` : sql``;
  const active = sql`
    select c.* from chats c
    where c.workspace_id = ${workspaceId} and c.last_message_at is not null ${ofContact} ${beyondActive}
    order by c.last_message_at desc nulls last, c.id desc limit ${limit}`;
  const idle = sql`
    select c.* from chats c
    where c.workspace_id = ${workspaceId} and c.last_message_at is null ${ofContact} ${beyondIdle}
    order by c.id desc limit ${limit}`;
  const both = isPastActive ? idle : sql`(${active}) union all (${idle})`;
  return sql`select * from (${both}) c order by c.last_message_at desc nulls last, c.id desc limit ${limit}`;
}

function getConditions(workspaceId: string, filter: ChatFilter): Part[] {
  const { instanceId, kind, archived, unread, text, createdAfter, createdBefore } = filter;
  const pattern = text === undefined ? '' : likePattern(text);
  return [
    instanceId === undefined ? null : sql`c.instance_id = ${instanceId}`,
    kind === undefined ? null : sql`c.kind = ${kind}`,
    archived === undefined ? null : sql`(c.archived_at is not null) = ${archived}`,
    unread === undefined ? null : sql`(c.unread > 0) = ${unread}`,
    createdAfter === undefined ? null : sql`c.created_at > ${createdAfter}::timestamptz`,
    createdBefore === undefined ? null : sql`c.created_at < ${createdBefore}::timestamptz`,
    text === undefined
      ? null
      : // Not by `exists`, which may be planned as a look at all contacts that there are.
        sql`(c.title ilike ${pattern} or c.address ilike ${pattern} or (
          select n.name ilike ${pattern} or n.profile_name ilike ${pattern}
          from contacts n where n.workspace_id = ${workspaceId} and n.id = c.contact_id
        ))`,
  ].filter((one) => one !== null);
}

/** Lists chats by latest activity, one row more than the page holds. */
export async function listChats(
  db: Db,
  workspaceId: string,
  page: Page,
  filter: ChatFilter,
): Promise<FoundChats> {
  const limit = page.limit + 1;
  const conditions = getConditions(workspaceId, filter);
  const size = conditions.length ? WINDOW : limit;
  const window = walk(workspaceId, page.after, filter, size);
  const { rows } = await sql<ChatRow>`
    with picked as materialized (
      select * from (${window}) c where ${conditions.length ? sql.join(conditions, sql` and `) : sql`true`}
      order by c.last_message_at desc nulls last, c.id desc limit ${limit}
    )
    select ${SHOWN} from picked c order by c.last_message_at desc nulls last, c.id desc
  `.execute(db);
  if (conditions.length === 0 || rows.length === limit) return { rows, windowEnd: null };
  const end = await sql<{ id: string; activity: number | null }>`
    select id, (extract(epoch from last_message_at) * 1000000)::bigint as activity
    from (${window}) c order by last_message_at desc nulls last, id desc offset ${WINDOW - 1}
  `.execute(db);
  return { rows, windowEnd: end.rows[0] ? getChatKey(end.rows[0]) : null };
}
