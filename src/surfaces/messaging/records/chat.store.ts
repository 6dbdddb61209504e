/**
 * Rows of chats. Lists use the index of activity; filters without an index scan a window of WINDOW rows per page, and
 * the next page continues after it.
 */
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';
import type { Chats } from '../../../platform/db/tables.ts';

export interface ChatRow extends Omit<Selectable<Chats>, 'muted_until'> {
  /** null: not muted, or for ever. */
  muted_until: Date | null;
  muted_forever: boolean;
  /** `last_message_at` in microseconds since 1970, by which lists are sorted. */
  activity: number | null;
  contact_name: string | null;
  group_id: string | null;
  last_message: {
    id: string;
    direction: string;
    from: string | null;
    from_name: string | null;
    type: string;
    content: unknown;
    deleted: boolean;
    status: string;
    created_at: string;
  } | null;
}

export type NewChat = Pick<
  Selectable<Chats>,
  'id' | 'instance_id' | 'kind' | 'key' | 'address' | 'title' | 'contact_id' | 'created_at'
>;

/** The columns that `select` reads of a chat `c` and of its newest message. */
export const SHOWN = sql`
  c.workspace_id, c.id, c.instance_id, c.kind, c.key, c.address, c.title, c.contact_id, c.last_message_id,
  c.last_message_at, c.unread, c.archived_at, nullif(c.muted_until, 'infinity') as muted_until,
  coalesce(c.muted_until = 'infinity', false) as muted_forever, c.metadata, c.version, c.created_at, c.updated_at,
  (extract(epoch from c.last_message_at) * 1000000)::bigint as activity,
  (
    select coalesce(p.name, p.profile_name) from contacts p
    where p.workspace_id = c.workspace_id and p.id = c.contact_id
  ) as contact_name,
  case when c.kind = 'group' then (
    select g.id from groups g where g.workspace_id = c.workspace_id and g.chat_id = c.id
  ) end as group_id,
  (
    select json_build_object(
      'id', m.id, 'direction', m.direction, 'from', m.from_address, 'from_name', (
        select coalesce(p.name, p.profile_name) from contacts p
        where m.direction = 'inbound' and p.workspace_id = m.workspace_id and p.id = m.contact_id
      ), 'type', m.type, 'content', m.content, 'deleted', m.deleted_at is not null,
      'status', m.status, 'created_at', m.created_at
    ) from messages m where m.workspace_id = c.workspace_id and m.id = c.last_message_id
  ) as last_message`;

async function readChats(db: Db, workspaceId: string, ids: readonly string[]): Promise<ChatRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<ChatRow>`
    select ${SHOWN} from chats c where c.workspace_id = ${workspaceId} and c.id = any(${ids}::uuid[]) order by c.id
  `.execute(db);
  return rows;
}

export const getChat = async (db: Db, workspaceId: string, id: string): Promise<ChatRow | undefined> =>
  (await readChats(db, workspaceId, [id]))[0];

/** Locks the row until the transaction ends. */
export async function lockChat(db: Tx, workspaceId: string, id: string): Promise<ChatRow | undefined> {
  await sql`select 1 from chats where workspace_id = ${workspaceId} and id = ${id} for update`.execute(db);
  return getChat(db, workspaceId, id);
}

/**
 * Creates missing chats by key. The caller has locked their instance's row in `instance_queues`, and then searched for
 * them in a later statement.
 */
export async function insertChats(db: Db, workspaceId: string, chats: readonly NewChat[]): Promise<void> {
  if (chats.length === 0) return;
  const rows = chats.map((chat) => ({ ...chat, workspace_id: workspaceId }));
  await sql`
    insert into chats (workspace_id, id, instance_id, kind, key, address, title, contact_id, created_at, updated_at)
    select workspace_id, id, instance_id, kind, key, address, title, contact_id, created_at, created_at
    from json_populate_recordset(null::chats, ${JSON.stringify(rows)})
  `.execute(db);
}

/**
 * Builds the `update` of chats by their newest messages, one each, which were just written. To be run alone or as a
 * CTE.
 */
export function bumpChatVersions(
  workspaceId: string,
  newest: readonly { chatId: string; messageId: string; at: Date }[],
): RawBuilder<unknown> {
  const sorted = newest.toSorted((a, b) => (a.chatId < b.chatId ? -1 : 1));
  return sql`
    update chats c set last_message_id = n.message_id, last_message_at = greatest(c.last_message_at, n.at)
    from unnest(
      ${sorted.map(({ chatId }) => chatId)}::uuid[], ${sorted.map(({ messageId }) => messageId)}::uuid[],
      ${sorted.map(({ at }) => at)}::timestamptz[]
    ) n (chat_id, message_id, at)
    where c.workspace_id = ${workspaceId} and c.id = n.chat_id
  `;
}

export interface ChatChange {
  title?: string | null;
  archived_at?: Date | null;
  muted_until?: Date | 'infinity' | null;
  metadata?: object;
}

/** Updates a chat and increases its version. */
export async function updateChat(
  db: Db,
  workspaceId: string,
  id: string,
  { metadata, muted_until: mutedUntil, ...change }: ChatChange,
  now: Date,
): Promise<void> {
  await db
    .updateTable('chats')
    .set({
      ...change,
      ...(mutedUntil === undefined ? {} : { muted_until: sql<Date | null>`${mutedUntil}::timestamptz` }),
      ...(metadata ? { metadata: JSON.stringify(metadata) } : {}),
      updated_at: now,
      version: sql<number>`version + 1`,
    })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute();
}

/** Sets the unread count, which does not change the version. */
export async function setUnread(db: Db, workspaceId: string, id: string, unread: number): Promise<void> {
  await db
    .updateTable('chats')
    .set({ unread })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute();
}

export interface InboundChatInfo {
  id: string;
  kind: 'direct' | 'group';
  key: string;
  address: string;
  title: string | null;
  contact_id: string | null;
}

/** Locks chats by the channel's keys, in ID order. @returns chats by key */
export async function lockChatsByKey(
  db: Tx,
  workspaceId: string,
  instanceId: string,
  keys: readonly string[],
): Promise<Map<string, InboundChatInfo>> {
  if (!keys.length) return new Map();
  const { rows } = await sql<InboundChatInfo>`
    select id, kind, key, address, title, contact_id from chats
    where workspace_id = ${workspaceId} and instance_id = ${instanceId} and key = any (${keys}::text[])
    order by id for update
  `.execute(db);
  return new Map(rows.map((row) => [row.key, row]));
}
