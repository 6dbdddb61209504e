/** Data about contacts in chats, messages and the queue, for merging and erasing: by chat, in windows of messages. */
import { subtractMediaBytes } from '../media/media-bytes.store.ts';
import { deleteSources } from '../records/message-source.store.ts';
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import type { IdentityRow } from './contact.store.ts';

export interface ChatOf {
  id: string;
  instance_id: string;
  /** Address of the other side. */
  address: string;
}

/** Reads at most `limit` direct chats with contacts. */
export async function getChats(
  db: Db,
  workspaceId: string,
  contactIds: readonly string[],
  limit: number,
): Promise<ChatOf[]> {
  const { rows } = await sql<ChatOf>`
    select id, instance_id, address from chats
    where workspace_id = ${workspaceId} and contact_id = any(${contactIds}::uuid[]) limit ${limit}
  `.execute(db);
  return rows;
}

/** Returns the instances of all chats with contacts. */
export async function instancesOfChats(
  db: Db,
  workspaceId: string,
  contactIds: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ instance_id: string }>`
    select distinct instance_id from chats
    where workspace_id = ${workspaceId} and contact_id = any(${contactIds}::uuid[])
  `.execute(db);
  return rows.map((row) => row.instance_id);
}

/** Moves chats from one contact to another. @returns the number moved, at most `limit` */
export async function giveChats(
  db: Db,
  workspaceId: string,
  from: string,
  to: string,
  limit: number,
  now: Date,
): Promise<number> {
  const { rows } = await sql`
    update chats set contact_id = ${to}, updated_at = ${now}, version = version + 1
    where workspace_id = ${workspaceId} and id = any(array(
      select id from chats where workspace_id = ${workspaceId} and contact_id = ${from} order by id limit ${limit} for update
    )) returning 1
  `.execute(db);
  return rows.length;
}

/**
 * Deletes chats and their queued messages. Their remaining messages are no longer visible; a job deletes them. The
 * caller has locked their instances' rows in `instance_queues`.
 */
export async function removeChats(db: Db, workspaceId: string, chats: readonly ChatOf[]): Promise<void> {
  const ids = chats.map(({ id }) => id);
  const instances = [...new Set(chats.map((chat) => chat.instance_id))];
  await sql`
    with waiting as (
      delete from send_queue where chat_id = any(${ids}::uuid[]) and workspace_id = ${workspaceId} returning instance_id, action
    )
    update instance_queues q set length = q.length - w.count
    from (select instance_id, count(*) from waiting where action = 'send' group by 1) w
    where q.instance_id = w.instance_id
  `.execute(db);
  await sql`
    delete from scheduled_messages s using messages m
    where s.workspace_id = ${workspaceId} and s.instance_id = any(${instances}::uuid[])
      and m.workspace_id = ${workspaceId} and m.id = s.message_id and m.chat_id = any(${ids}::uuid[])
  `.execute(db);
  await sql`delete from chats where workspace_id = ${workspaceId} and id = any(${ids}::uuid[])`.execute(db);
}

/** Returns LIKE patterns for names that contain one of the addresses. */
const holding = (addresses: readonly string[]): string[] =>
  addresses.map((address) => `%${address.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`);

interface Files {
  media_id: string | null;
  /** The media object that the message was read from. */
  source: string | null;
}
const toFiles = ({ media_id: file, source }: Files): string[] => [file ?? [], source ?? []].flat();

/**
 * Deletes messages of deleted chats, with reactions. The channel's IDs are kept, so that none is stored again if the
 * channel repeats it, except for IDs that contain an address or were chosen by the authors.
 * @returns the number deleted, at most `limit`, and the files received with or fetched for them
 */
export async function deleteMessages(
  db: Db,
  workspaceId: string,
  chatId: string,
  addresses: readonly string[],
  limit: number,
): Promise<{ count: number; files: string[] }> {
  const { rows } = await sql<Files>`
    with gone as (
      delete from messages where workspace_id = ${workspaceId} and id = any(array(
        select id from messages where workspace_id = ${workspaceId} and chat_id = ${chatId} order by id limit ${limit} for update
      )) returning id, media_id, direction
    ), reactions as (
      delete from message_reactions where workspace_id = ${workspaceId} and message_id in (select id from gone)
    ), aliases as (
      delete from inbound_seen
      where workspace_id = ${workspaceId} and message_id in (select id from gone)
        and (is_alias or external_id like any(${holding(addresses)}::text[]))
    ), sources as (${deleteSources(workspaceId, 'gone')})
    select s.media_id as source, case when gone.direction = 'inbound' or f.for_message then gone.media_id end as media_id
    from gone left join media f on f.workspace_id = ${workspaceId} and f.id = gone.media_id
    left join sources s on s.message_id = gone.id
  `.execute(db);
  return { count: rows.length, files: rows.flatMap(toFiles) };
}

/** Deletes the files that no message shows. @returns the hash of each content, in hexadecimal */
export async function deleteUnshown(
  db: Db,
  workspaceId: string,
  mediaIds: readonly string[],
): Promise<string[]> {
  if (mediaIds.length === 0) return [];
  const { rows } = await sql<{ sha256: Buffer | null; size: number | null }>`
    delete from media f where f.workspace_id = ${workspaceId} and f.id = any(${mediaIds}::uuid[])
      and not exists (select from messages m where m.workspace_id = ${workspaceId} and m.media_id = f.id)
    returning f.sha256, f.size
  `.execute(db);
  await subtractMediaBytes(
    db,
    workspaceId,
    rows.map(({ size }) => size),
  );
  return rows.flatMap(({ sha256 }) => sha256?.toString('hex') ?? []);
}

export interface FoundChat {
  id: string;
  instance_id: string;
}

/** The next chat in ID order; `passed` means that there is none up to this ID. */
export type NextChat = FoundChat | { passed: string };

export async function getChat(db: Db, workspaceId: string, id: string): Promise<FoundChat | undefined> {
  const { rows } = await sql<FoundChat>`
    select id, instance_id from chats where workspace_id = ${workspaceId} and id = ${id}
  `.execute(db);
  return rows[0];
}

/** Returns the next group on one of the instances, among the next `window` chats of the workspace; undefined at the end. */
export async function nextGroup(
  db: Db,
  workspaceId: string,
  instanceIds: readonly string[],
  after: string,
  window: number,
): Promise<NextChat | undefined> {
  const page = sql`
    select id, instance_id, kind from chats
    where workspace_id = ${workspaceId} and id > ${after} order by id limit ${window}
  `;
  const { rows } = await sql<FoundChat>`
    select id, instance_id from (${page}) p
    where kind = 'group' and instance_id = any(${instanceIds}::uuid[]) limit 1
  `.execute(db);
  if (rows[0]) return rows[0];
  const { rows: last } = await sql<{ passed: string }>`
    select id as passed from (${page}) p offset ${window - 1}
  `.execute(db);
  return last[0];
}

/** Returns the next direct chat with a contact; undefined at the end. */
export async function nextDirectChat(
  db: Db,
  workspaceId: string,
  contactId: string,
  after: string,
): Promise<FoundChat | undefined> {
  const { rows } = await sql<FoundChat>`
    select id, instance_id from chats where workspace_id = ${workspaceId} and contact_id = ${contactId} and id > ${after}
    order by id limit 1
  `.execute(db);
  return rows[0];
}

/** Reads messages of a chat after one, in ID order. */
export async function messagesAfter(
  db: Db,
  workspaceId: string,
  chatId: string,
  after: string,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from messages
    where workspace_id = ${workspaceId} and chat_id = ${chatId} and id > ${after} order by id limit ${limit}
  `.execute(db);
  return rows.map(({ id }) => id);
}

/** Queued block changes of contacts that no longer exist. Public IDs. Call after `lockQueue`. */
export async function removeBlocks(
  db: Db,
  workspaceId: string,
  instanceId: string,
  contactIds: readonly string[],
): Promise<void> {
  await sql`
    delete from send_queue
    where instance_id = ${instanceId} and workspace_id = ${workspaceId} and action in ('block', 'unblock')
      and claimed_epoch is null and payload ->> 'contact_id' = any(${contactIds}::text[])
  `.execute(db);
}

/** Moves the messages of one contact to another. */
export async function giveMessages(
  db: Db,
  workspaceId: string,
  ids: readonly string[],
  from: string,
  to: string,
  now: Date,
): Promise<void> {
  await sql`
    update messages set contact_id = ${to}, updated_at = ${now}, version = version + 1
    where workspace_id = ${workspaceId} and id = any(array(
      select id from messages where workspace_id = ${workspaceId} and id = any(${ids}::uuid[]) and contact_id = ${from}
      order by id for update
    ))
  `.execute(db);
}

/**
 * Clears the messages in a group that were written from one of the addresses, and removes the person's reactions and
 * mentions.
 * @param who all addresses, which the channel's message IDs may contain. @returns the files received with them
 */
export async function emptyMessages(
  db: Db,
  workspaceId: string,
  ids: readonly string[],
  { address }: IdentityRow,
  who: { contactIds: readonly string[]; addresses: readonly string[] },
  now: Date,
): Promise<string[]> {
  await sql`
    delete from message_reactions
    where workspace_id = ${workspaceId} and message_id = any(${ids}::uuid[]) and author = ${address} and not from_me
  `.execute(db);
  await sql`
    update messages set mentions = array_remove(mentions, ${address}), updated_at = ${now}, version = version + 1
    where workspace_id = ${workspaceId} and id = any(${ids}::uuid[]) and ${address} = any(mentions)
  `.execute(db);
  const { rows } = await sql<Files>`
    with written as (
      select id, media_id from messages
      where workspace_id = ${workspaceId} and id = any(${ids}::uuid[]) and direction = 'inbound'
        and (from_address = ${address} or contact_id = any(${who.contactIds}::uuid[]))
      order by id for update
    ), aliases as (
      delete from inbound_seen
      where workspace_id = ${workspaceId} and message_id in (select id from written)
        and (is_alias or external_id like any(${holding(who.addresses)}::text[]))
    ), sources as (${deleteSources(workspaceId, 'written')})
    update messages m set external_id = case when m.external_id like any(${holding(who.addresses)}::text[]) then null else m.external_id end,
      content = '{}', channel_data = null, search_text = null, subject = null, media_id = null, from_address = null,
      contact_id = null, mentions = '{}', deleted_at = coalesce(m.deleted_at, ${now}), updated_at = ${now}, version = m.version + 1
    from written w left join sources s on s.message_id = w.id where m.workspace_id = ${workspaceId} and m.id = w.id
    returning w.media_id, s.media_id as source
  `.execute(db);
  return rows.flatMap(toFiles);
}

/** Stores IDs of contacts that were merged into another contact. */
export async function insertAliases(
  db: Db,
  workspaceId: string,
  ids: readonly string[],
  contactId: string,
): Promise<void> {
  await sql`
    insert into contact_aliases (workspace_id, id, contact_id)
    select ${workspaceId}::uuid, id, ${contactId}::uuid from unnest(${ids}::uuid[]) a (id)
  `.execute(db);
}
