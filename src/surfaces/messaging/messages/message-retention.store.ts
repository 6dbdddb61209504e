/** Finds and deletes expired messages. The caller has locked their instances' rows in `instance_queues`. */
import { deleteSources } from '../records/message-source.store.ts';
import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';

/** Final statuses, which only receipts can still change. */
const OVER = ['sent', 'delivered', 'read', 'failed', 'canceled', 'received'];

/** Condition that `m` is completed, was created or due before `end`, and has no action in progress. */
const isOver = (end: Date) => sql`
  m.status = any(${OVER}::text[]) and m.pending_action is null and (m.scheduled_at is null or m.scheduled_at < ${end})`;

export interface OldMessage {
  id: string;
  instance_id: string;
  chat_id: string;
}

/**
 * Reads messages in ID order, using the primary key.
 * @param range IDs above `after` and below `below`. @param end messages scheduled for a later time are not expired
 * @returns the expired ones of the next `limit` messages, and the last ID read; null at the end of the range
 */
export async function messagesOver(
  db: Db,
  workspaceId: string,
  { after, below }: { after: string; below: string },
  end: Date,
  limit: number,
): Promise<{ over: OldMessage[]; last: string | null }> {
  const { rows } = await sql<OldMessage & { is_over: boolean }>`
    select m.id, m.instance_id, m.chat_id, ${isOver(end)} as is_over from messages m
    where m.workspace_id = ${workspaceId} and m.id > ${after} and m.id < ${below} order by m.id limit ${limit}
  `.execute(db);
  return {
    over: rows.filter((row) => row.is_over),
    last: rows.length === limit ? rows.at(-1)!.id : null,
  };
}

/** Locks chats in the order of their IDs. */
export async function lockChats(db: Tx, workspaceId: string, ids: readonly string[]): Promise<void> {
  await sql`
    select 1 from chats where workspace_id = ${workspaceId} and id = any(${ids}::uuid[]) order by id for update
  `.execute(db);
}

export interface Deleted {
  id: string;
  chat_id: string;
  /** File that was received with the message or fetched for it. */
  file: string | null;
  /** Media object with the original source of the message. */
  source: string | null;
  is_unread: boolean;
}

/**
 * Deletes the completed ones among messages, with reactions. The channel's IDs are kept, so that none is stored again
 * if the channel repeats it; IDs chosen by authors are not kept.
 */
export async function deleteMessagesOver(
  db: Db,
  workspaceId: string,
  ids: readonly string[],
  end: Date,
): Promise<Deleted[]> {
  const { rows } = await sql<Deleted>`
    with gone as (
      delete from messages where workspace_id = ${workspaceId} and id = any(array(
        select m.id from messages m
        where m.workspace_id = ${workspaceId} and m.id = any(${ids}::uuid[]) and ${isOver(end)} order by m.id for update
      )) returning id, chat_id, media_id, direction, status
    ), reactions as (
      delete from message_reactions where workspace_id = ${workspaceId} and message_id in (select id from gone)
    ), aliases as (
      delete from inbound_seen
      where workspace_id = ${workspaceId} and message_id in (select id from gone) and is_alias
    ), sources as (${deleteSources(workspaceId, 'gone')})
    select g.id, g.chat_id, s.media_id as source, case when g.direction = 'inbound' or f.for_message then g.media_id end as file,
      g.status = 'received' as is_unread
    from gone g left join media f on f.workspace_id = ${workspaceId} and f.id = g.media_id
    left join sources s on s.message_id = g.id
  `.execute(db);
  return rows;
}

/**
 * Updates chats after messages were deleted: the unread count and the last message, if one remains. Call after
 * `lockChats`.
 */
export async function eraseInChats(db: Db, workspaceId: string, gone: readonly Deleted[]): Promise<void> {
  const chats = [...Map.groupBy(gone, (one) => one.chat_id)].map(([id, all]) => ({
    id,
    unread: all.filter((one) => one.is_unread).length,
  }));
  await sql`
    update chats c set
      unread = greatest(0, c.unread - n.unread),
      last_message_id = case when c.last_message_id = any(${gone.map(({ id }) => id)}::uuid[]) then (
        select m.id from messages m where m.workspace_id = c.workspace_id and m.chat_id = c.id and m.status <> 'scheduled'
        order by m.id desc limit 1
      ) else c.last_message_id end
    from json_to_recordset(${JSON.stringify(chats)}) n (id uuid, unread int)
    where c.workspace_id = ${workspaceId} and c.id = n.id
      and (n.unread > 0 or c.last_message_id = any(${gone.map(({ id }) => id)}::uuid[]))
  `.execute(db);
}
