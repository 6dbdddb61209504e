/**
 * Rows of messages. Bulk inserts and updates pass all rows as one JSON parameter, so that the statement's text stays
 * the same.
 */
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';
import type { Messages } from '../../../platform/db/tables.ts';
import { LAST_UUID } from '../../../platform/db/uuid-time.ts';

export interface ReactionRow {
  author: string;
  from_me: boolean;
  emoji: string;
  /** Further ones of the same author. */
  others: string[];
  created_at: Date | string;
}

/** A message with further data that the API shows. */
export interface MessageRow extends Selectable<Messages> {
  chat_kind: 'direct' | 'group';
  reactions: ReactionRow[];
}

/** All columns; the rest of a MessageRow follows from its chat. */
export type NewMessage = Selectable<Messages>;

const MAX_REACTIONS = 100;

/** Default columns of a new message. */
export const MESSAGE_DEFAULTS = {
  search_text: null,
  subject: null,
  thread_id: null,
  media_id: null,
  from_address: null,
  to_address: null,
  contact_id: null,
  reply_to: null,
  reply_to_external_id: null,
  mentions: [] as string[],
  automatic: null,
  channel_data: null,
  error_code: null,
  error_detail: null,
  error_retryable: null,
  failed_as: null,
  pinned: false,
  pending_action: null,
  action_error: null,
  external_id: null,
  scheduled_at: null,
  sent_at: null,
  delivered_at: null,
  read_at: null,
  edited_at: null,
  deleted_at: null,
  metadata: {},
  created_by: null,
  version: 1,
} as const satisfies Partial<Record<keyof NewMessage, unknown>>;

const COLUMNS = sql.raw(
  [
    'workspace_id id instance_id chat_id sequence direction source type content search_text subject media_id',
    'from_address to_address contact_id reply_to reply_to_external_id mentions automatic status status_history error_code',
    'error_detail error_retryable failed_as pending_action action_error external_id scheduled_at sent_at',
    'delivered_at read_at edited_at deleted_at metadata created_by version created_at updated_at channel_data pinned thread_id',
  ]
    .join(' ')
    .replaceAll(' ', ', '),
);

/**
 * Builds the `insert` of messages, to be run alone or as a CTE. The caller has locked their instances' rows in
 * `instance_queues`.
 */
export function insertMessages(workspaceId: string, messages: readonly NewMessage[]): RawBuilder<unknown> {
  if (messages.some((message) => message.workspace_id !== workspaceId))
    throw new Error('a message of another workspace');
  return sql`
    insert into messages (${COLUMNS})
    select ${COLUMNS} from json_populate_recordset(null::messages, ${JSON.stringify(messages)})
  `;
}

/** Selects messages from a relation with the columns that the API needs. Add conditions on `m`. */
export const selectMessages = (relation: RawBuilder<unknown>): RawBuilder<MessageRow> => sql`
  select m.*, c.kind as chat_kind, coalesce(r.reactions, '[]') as reactions
  from ${relation} m
  join chats c on c.workspace_id = m.workspace_id and c.id = m.chat_id
  left join lateral (
    select json_agg(json_build_object(
      'author', r.author, 'from_me', r.from_me, 'emoji', r.emoji, 'others', r.others, 'created_at', r.created_at
    ) order by r.created_at, r.author) as reactions
    from (
      select * from message_reactions
      where workspace_id = m.workspace_id and message_id = m.id order by created_at, author limit ${sql.lit(MAX_REACTIONS)}
    ) r
  ) r on true`;

/** Reads the existing messages among `ids`, in ID order. */
export async function readMessages(
  db: Db,
  workspaceId: string,
  ids: readonly string[],
): Promise<MessageRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<MessageRow>`
    ${selectMessages(sql`messages`)} where m.workspace_id = ${workspaceId} and m.id = any(${ids}::uuid[]) order by m.id
  `.execute(db);
  return rows;
}

export const getMessage = async (db: Db, workspaceId: string, id: string): Promise<MessageRow | undefined> =>
  (await readMessages(db, workspaceId, [id]))[0];

/** Locks the existing messages among `ids` until the transaction ends, in ID order, and reads them. */
export async function lockMessages(
  db: Tx,
  workspaceId: string,
  ids: readonly string[],
): Promise<MessageRow[]> {
  if (ids.length === 0) return [];
  // A separate statement, so that the next one sees what was committed while this one waited.
  await sql`
    select 1 from messages where workspace_id = ${workspaceId} and id = any(${ids}::uuid[]) order by id for update
  `.execute(db);
  return readMessages(db, workspaceId, ids);
}

const JSON_COLUMNS = ['content', 'status_history', 'action_error', 'metadata', 'channel_data'] as const;
type JsonColumn = (typeof JSON_COLUMNS)[number];
export type MessageChange = Partial<
  Omit<NewMessage, 'workspace_id' | 'id' | 'created_at' | 'updated_at' | 'version' | JsonColumn>
> & { [name in JsonColumn]?: unknown };

/**
 * Changes a message that the caller has locked. Everything that the API shows increases the version, including
 * reactions.
 */
export async function updateMessage(
  db: Db,
  workspaceId: string,
  id: string,
  change: MessageChange,
  now: Date,
): Promise<void> {
  const json = Object.fromEntries(
    JSON_COLUMNS.filter((name) => change[name] !== undefined).map((name) => [
      name,
      change[name] === null ? null : JSON.stringify(change[name]),
    ]),
  );
  await db
    .updateTable('messages')
    .set({
      ...(change as Omit<MessageChange, JsonColumn>),
      ...json,
      updated_at: now,
      version: sql<number>`version + 1`,
    })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute();
}

/** Marks received messages as read unless they are already. The caller has locked their chat. */
export async function markRead(db: Db, workspaceId: string, ids: readonly string[], at: Date): Promise<void> {
  await sql`
    update messages set status = 'read', read_at = ${at}, updated_at = ${at}, version = version + 1,
      status_history = status_history || ${JSON.stringify([{ status: 'read', at: at.toISOString() }])}::jsonb
    where workspace_id = ${workspaceId} and id = any(${ids}::uuid[]) and status = 'received'
  `.execute(db);
}

/** Returns the newest `limit` unread inbound messages among the `window` messages of a chat up to a given one. */
export async function getUnread(
  db: Db,
  workspaceId: string,
  chatId: string,
  upTo: string | null,
  { limit, window }: { limit: number; window: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from (
      select id, status, direction from messages
      where workspace_id = ${workspaceId} and chat_id = ${chatId} and id <= ${upTo ?? LAST_UUID} order by id desc limit ${window}
    ) newest
    where status = 'received' and direction = 'inbound' order by id desc limit ${limit}
  `.execute(db);
  return rows.map(({ id }) => id);
}

/** When a message that waits for its time is to be sent. @returns false if it doesn't wait */
export async function reschedule(db: Db, workspaceId: string, id: string, dueAt: Date): Promise<boolean> {
  const { rows } = await sql`
    update scheduled_messages set due_at = ${dueAt} where workspace_id = ${workspaceId} and message_id = ${id} returning 1
  `.execute(db);
  return rows.length > 0;
}

export type StateRow = Pick<
  MessageRow,
  'id' | 'status' | 'error_code' | 'error_detail' | 'error_retryable' | 'sent_at'
>;

/** Returns the states of messages; deleted ones are omitted. */
export const getStates = (db: Db, workspaceId: string, ids: readonly string[]): Promise<StateRow[]> =>
  db
    .selectFrom('messages')
    .select(['id', 'status', 'error_code', 'error_detail', 'error_retryable', 'sent_at'])
    .where('workspace_id', '=', workspaceId)
    .where(({ eb }) => eb('id', '=', eb.fn.any(eb.val(ids as string[]))))
    .execute();
