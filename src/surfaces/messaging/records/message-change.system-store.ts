/**
 * Reads and changes batches of messages, across workspaces, as channel signals require. The caller has locked their
 * instances' rows in `instance_queues`.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../../../platform/db/database.ts';
import { type MessageRow, selectMessages } from './message.store.ts';

export interface MessageKey {
  workspace_id: string;
  id: string;
}

/** Locks the existing messages until the commit, in the order of their IDs, and returns their current state. */
export async function lockAndRead(tx: Tx, keys: readonly MessageKey[]): Promise<MessageRow[]> {
  if (!keys.length) return [];
  const sorted = keys.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  // One probe of the index each, in this order: a plan by statistics of when there were no messages would read them all.
  const locked = sql`(
    select l.*
    from unnest(${sorted.map((key) => key.workspace_id)}::uuid[], ${sorted.map(({ id }) => id)}::uuid[]) g (workspace_id, id)
    cross join lateral (
      select * from messages where workspace_id = g.workspace_id and id = g.id for update
    ) l
  )`;
  const { rows } = await sql<MessageRow>`${selectMessages(locked)}`.execute(tx);
  return rows;
}

/**
 * Builds the `update` of rows from `lockAndRead`, to be run alone or as a CTE: status, receipts, actions and the
 * channel's ID. The version increases, because an unchanged ETag would hide the change.
 */
export function writeStates(rows: readonly MessageRow[], now: Date): RawBuilder<unknown> {
  const given = rows.map((row) => ({
    workspace_id: row.workspace_id,
    id: row.id,
    status: row.status,
    status_history: row.status_history,
    error_code: row.error_code,
    error_detail: row.error_detail,
    error_retryable: row.error_retryable,
    failed_as: row.failed_as,
    pending_action: row.pending_action,
    action_error: row.action_error,
    external_id: row.external_id,
    from_address: row.from_address,
    sent_at: row.sent_at,
    delivered_at: row.delivered_at,
    read_at: row.read_at,
    pinned: row.pinned,
  }));
  return sql`
    update messages m set status = g.status, status_history = g.status_history, error_code = g.error_code,
      error_detail = g.error_detail, error_retryable = g.error_retryable, failed_as = g.failed_as,
      pending_action = g.pending_action, action_error = g.action_error, external_id = g.external_id,
      from_address = g.from_address, sent_at = g.sent_at, delivered_at = g.delivered_at, read_at = g.read_at,
      pinned = g.pinned, updated_at = ${now}, version = m.version + 1
    from json_populate_recordset(null::messages, ${JSON.stringify(given)}) g
    where m.workspace_id = g.workspace_id and m.id = g.id
  `;
}

/** Writes the content and derived columns of rows from `lockAndRead`, for edits and revocations. */
export async function writeContents(tx: Tx, rows: readonly MessageRow[]): Promise<void> {
  if (!rows.length) return;
  const given = rows.map((row) => ({
    workspace_id: row.workspace_id,
    id: row.id,
    type: row.type,
    content: row.content,
    search_text: row.search_text,
    channel_data: row.channel_data,
    media_id: row.media_id,
    edited_at: row.edited_at,
    deleted_at: row.deleted_at,
  }));
  await sql`
    update messages m set type = g.type, content = g.content, search_text = g.search_text, media_id = g.media_id, edited_at = g.edited_at,
      deleted_at = g.deleted_at, channel_data = g.channel_data
    from json_populate_recordset(null::messages, ${JSON.stringify(given)}) g
    where m.workspace_id = g.workspace_id and m.id = g.id
  `.execute(tx);
}

export interface ReactionChange extends MessageKey {
  author: string;
  from_me: boolean;
  /** null takes it back. */
  emoji: string | null;
  /** Further ones of the same author. */
  others: string[];
  at: Date;
}

/** At most one change for each message and author. */
export async function writeReactions(tx: Tx, changes: readonly ReactionChange[]): Promise<void> {
  if (!changes.length) return;
  await sql`
    with given as materialized (
      select * from json_to_recordset(${JSON.stringify(changes)}) as g (
        workspace_id uuid, id uuid, author text, from_me boolean, emoji text, others text[], at timestamptz
      )
    ), gone as (
      delete from message_reactions r using given g
      where g.emoji is null and r.workspace_id = g.workspace_id and r.message_id = g.id and r.author = g.author
    )
    insert into message_reactions (workspace_id, message_id, author, from_me, emoji, others, created_at)
    select workspace_id, id, author, from_me, emoji, others, at from given where emoji is not null
    on conflict (workspace_id, message_id, author) do update set emoji = excluded.emoji, others = excluded.others,
      created_at = excluded.created_at
  `.execute(tx);
}
