/** Reads the rows that signals refer to, in batches. The caller holds the instance's lock in `instance_queues`. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import type { Named } from './names.ts';

/** Finds messages by name. */
export async function findMessagesByName(
  db: Db,
  workspaceId: string,
  instanceId: string,
  names: readonly string[],
): Promise<Map<string, Named>> {
  if (!names.length) return new Map();
  const { rows } = await sql<{ external_id: string; message_id: string; is_alias: boolean }>`
    select external_id, message_id, is_alias from inbound_seen
    where workspace_id = ${workspaceId} and instance_id = ${instanceId} and external_id = any (${names}::text[])
  `.execute(db);
  return new Map(rows.map((row) => [row.external_id, { messageId: row.message_id, isAlias: row.is_alias }]));
}

/** Checks whether a file has this content. @param sha256 in hexadecimal */
export async function hasSameBytes(
  db: Db,
  workspaceId: string,
  mediaId: string | null,
  sha256: string,
): Promise<boolean> {
  if (mediaId === null) return false;
  const { rows } = await sql<{ is_same: boolean | null }>`
    select sha256 = decode(${sha256}, 'hex') as is_same from media where workspace_id = ${workspaceId} and id = ${mediaId}
  `.execute(db);
  return rows[0]?.is_same === true;
}

/** Builds the `insert`, to be run as a CTE. An existing alias is replaced; any other name is kept. */
export function insertMessageNames(
  workspaceId: string,
  instanceId: string,
  fresh: ReadonlyMap<string, Named>,
): RawBuilder<unknown> {
  const named = [...fresh.values()];
  return sql`
    insert into inbound_seen (workspace_id, instance_id, external_id, message_id, is_alias)
    select ${workspaceId}::uuid, ${instanceId}::uuid, external_id, message_id, is_alias
    from unnest(
      ${[...fresh.keys()]}::text[], ${named.map(({ messageId }) => messageId)}::uuid[], ${named.map(({ isAlias }) => isAlias)}::boolean[]
    ) s (external_id, message_id, is_alias)
    on conflict (workspace_id, instance_id, external_id)
      do update set message_id = excluded.message_id, is_alias = excluded.is_alias where inbound_seen.is_alias
  `;
}

export interface ChatNews {
  id: string;
  /** The newest message, if there is a new one. */
  message_id: string | null;
  /** Change in the number of unread messages. */
  unread: number;
  /** When the other side last wrote, if it did in this transaction. */
  inbound_at: Date | null;
}

/** Builds the `update`, to be run as a CTE. */
export const updateChats = (
  workspaceId: string,
  news: readonly ChatNews[],
  now: Date,
): RawBuilder<unknown> => sql`
  update chats c set
    last_message_id = coalesce(n.message_id, c.last_message_id),
    last_message_at = case when n.message_id is null then c.last_message_at else greatest(c.last_message_at, ${now}) end,
    unread = greatest(0, c.unread + n.unread),
    last_inbound_at = greatest(c.last_inbound_at, n.inbound_at)
  from json_to_recordset(${JSON.stringify(news)}) n (id uuid, message_id uuid, unread int, inbound_at timestamptz)
  where c.workspace_id = ${workspaceId} and c.id = n.id
`;

/** Maximum messages of a chat searched for those that a receipt includes. */
const LOOKED_THROUGH = 1_000;

/** Returns messages of a chat up to one that are not yet known as read (or, for `delivered`, as delivered). */
export async function idsUpTo(
  db: Db,
  workspaceId: string,
  {
    chatId,
    messageId,
    direction,
    status,
  }: { chatId: string; messageId: string; direction: string; status: string },
): Promise<string[]> {
  const before = status === 'read' ? ['sent', 'delivered', 'received'] : ['sent'];
  const { rows } = await sql<{ id: string }>`
    select id from (
      select id, direction, status from messages
      where workspace_id = ${workspaceId} and chat_id = ${chatId} and id <= ${messageId} order by id desc limit ${LOOKED_THROUGH}
    ) m
    where direction = ${direction} and status = any (${before}::text[])
  `.execute(db);
  return rows.map(({ id }) => id);
}

/** Finds messages among `ids` that this instance sent. @returns the channel's key of the chat, by ID */
export async function ownAmong(
  db: Db,
  workspaceId: string,
  instanceId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (!ids.length) return new Map();
  const { rows } = await sql<{ id: string; key: string }>`
    select m.id, c.key from messages m join chats c on c.workspace_id = m.workspace_id and c.id = m.chat_id
    where m.workspace_id = ${workspaceId} and m.id = any (${ids}::uuid[]) and m.instance_id = ${instanceId}
      and m.direction = 'outbound'
  `.execute(db);
  return new Map(rows.map(({ id, key }) => [id, key]));
}
