/**
 * Adds rows to `send_queue`, and removes waiting ones.
 *
 * Invariants: before calling anything else here, call `reserve` or `lockQueue` in a separate statement: until the
 * commit no other transaction then adds to the instance's queue or removes from it, and later statements see all
 * earlier changes. In each chat, all rows but the first are due at infinity. Lock order: `instance_queues`, rows of the
 * queue, messages.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';

export const ACTIONS = [
  'send',
  'edit',
  'revoke',
  'react',
  'pin',
  'unpin',
  'read',
  'block',
  'unblock',
  'check',
  'group',
] as const;
/** An action for a connection. */
export type QueueAction = (typeof ACTIONS)[number];

export interface NewQueueRow {
  /** ID of the message for `send`, otherwise a new one. */
  id: string;
  action: QueueAction;
  /** Null if the action concerns no chat; it then waits for nothing. */
  chatId: string | null;
  messageId: string | null;
  /** `edit` {text}; `react` {emoji: string or null}; `block`, `unblock` {address, contact_id}; `check`, `group`: Payload of claim.system-store.ts. */
  payload?: object;
}

export interface Reserved {
  /** Sequence number of the first message; the others follow without a gap. */
  sequence: number;
  /** Position of the first queue row; the others follow. */
  position: number;
}

/**
 * Locks the instance's queue until the commit and allocates its sequence numbers, so that they have the order of
 * commits.
 * @param count of messages that will be written, in or out; of rows of the queue; of those with the action `send`
 * @returns undefined if there is no such instance
 */
export async function reserve(
  db: Db,
  workspaceId: string,
  instanceId: string,
  count: { messages: number; rows: number; sends: number },
): Promise<Reserved | undefined> {
  const { rows } = await sql<Reserved>`
    update instance_queues set last_sequence = last_sequence + ${count.messages}::int,
      last_position = last_position + ${count.rows}::int, length = length + ${count.sends}::int
    where workspace_id = ${workspaceId} and instance_id = ${instanceId}
    returning last_sequence - ${count.messages}::int + 1 as sequence, last_position - ${count.rows}::int + 1 as position
  `.execute(db);
  return rows[0];
}

/** Locks the instance's queue until the commit. @returns false if there is no such instance */
export async function lockQueue(db: Tx, workspaceId: string, instanceId: string): Promise<boolean> {
  const { rows } = await sql`
    select from instance_queues where workspace_id = ${workspaceId} and instance_id = ${instanceId} for update
  `.execute(db);
  return rows.length > 0;
}

/** Rows for the end of one instance's queue. */
export interface Joining {
  instanceId: string;
  rows: readonly NewQueueRow[];
  /** Of the first; the others follow. */
  position: number;
  /** The instance's `queue_ttl_seconds`. */
  ttlSeconds: number;
}

/**
 * Builds the `insert` of rows in order, to be run alone or as a CTE. Call after `reserve`, or after taking its lock.
 */
export const insertRows = (workspaceId: string, queues: readonly Joining[]): RawBuilder<unknown> => {
  const all = queues.flatMap(({ rows, ...queue }) =>
    rows.map((row, nth) => ({ ...row, ...queue, position: queue.position + nth })),
  );
  // By the first of its chat's rows, not by whether any exists: that may be planned as a look at all rows that there are.
  return sql`
  insert into send_queue (id, workspace_id, instance_id, chat_id, message_id, action, payload, position, due_at, expires_at, created_at)
  select r.id, ${workspaceId}::uuid, r.instance_id, r.chat_id, r.message_id, r.action, r.payload, r.position,
    case when r.chat_id is not null and (
      row_number() over (partition by r.chat_id order by r.nth) > 1
      or (select q.position from send_queue q where q.chat_id = r.chat_id order by q.position limit 1) is not null
    ) then 'infinity' else now() end,
    now() + r.ttl * interval '1 second', now()
  from unnest(
    ${all.map(({ id }) => id)}::uuid[], ${all.map(({ instanceId }) => instanceId)}::uuid[], ${all.map(({ chatId }) => chatId)}::uuid[],
    ${all.map(({ messageId }) => messageId)}::uuid[], ${all.map(({ action }) => action)}::text[],
    ${all.map(({ payload }) => (payload ? JSON.stringify(payload) : null))}::jsonb[], ${all.map(({ position }) => position)}::bigint[],
    ${all.map(({ ttlSeconds }) => ttlSeconds)}::int[]
  ) with ordinality r (id, instance_id, chat_id, message_id, action, payload, position, ttl, nth)
`;
};

/** Adds one row at the end of the queue. @returns false if there is no such instance */
export async function enqueueAction(
  db: Db,
  workspaceId: string,
  instanceId: string,
  row: NewQueueRow,
  ttlSeconds: number,
): Promise<boolean> {
  const sends = row.action === 'send' ? 1 : 0;
  const reserved = await reserve(db, workspaceId, instanceId, { messages: 0, rows: 1, sends });
  if (!reserved) return false;
  await insertRows(workspaceId, [
    { instanceId, rows: [row], position: reserved.position, ttlSeconds },
  ]).execute(db);
  return true;
}

/** Builds the `insert` of scheduled messages, to be run alone or as a CTE. */
export const insertScheduled = (
  workspaceId: string,
  messages: readonly { id: string; instanceId: string; dueAt: Date }[],
): RawBuilder<unknown> => sql`
  insert into scheduled_messages (message_id, workspace_id, instance_id, due_at)
  select id, ${workspaceId}::uuid, instance_id, due_at
  from unnest(
    ${messages.map(({ id }) => id)}::uuid[], ${messages.map(({ instanceId }) => instanceId)}::uuid[],
    ${messages.map(({ dueAt }) => dueAt)}::timestamptz[]
  ) m (id, instance_id, due_at)
`;

/**
 * Locks a waiting message so that it is not sent before the commit and its content may be changed in place. Call after
 * `lockQueue` and before locking the message's row.
 * @returns false if it is in progress or completed
 */
export async function lockWaiting(db: Tx, workspaceId: string, messageId: string): Promise<boolean> {
  const { rows } = await sql`
    with queued as materialized (
      select from send_queue
      where id = ${messageId} and workspace_id = ${workspaceId} and claimed_epoch is null and not uncertain for update
    ), scheduled as materialized (
      select from scheduled_messages where message_id = ${messageId} and workspace_id = ${workspaceId} for update
    )
    select from queued union all select from scheduled
  `.execute(db);
  return rows.length > 0;
}

/**
 * Removes a waiting message from the queue or the schedule, and makes the next one of its chat due. The caller cancels
 * the message itself. Call after `lockQueue` and before locking the message's row.
 * @returns false if it is in progress or completed
 */
export async function takeWaiting(db: Db, workspaceId: string, messageId: string): Promise<boolean> {
  const { rows } = await sql<{ chat_id: string | null }>`
    with queued as (
      delete from send_queue
      where id = ${messageId} and workspace_id = ${workspaceId} and claimed_epoch is null and not uncertain
      returning instance_id, chat_id
    ), scheduled as (
      delete from scheduled_messages where message_id = ${messageId} and workspace_id = ${workspaceId} returning instance_id
    ), counted as (
      update instance_queues set length = length - 1 where instance_id = (select instance_id from queued)
    )
    select chat_id from queued union all select null from scheduled
  `.execute(db);
  await letNextGo(
    db,
    rows.flatMap(({ chat_id: id }) => id ?? []),
  );
  return rows.length > 0;
}

/**
 * Makes the first row of each chat due if it was waiting to become first. Must be a later statement than the one that
 * removed rows.
 */
export async function letNextGo(db: Db, chatIds: readonly string[]): Promise<void> {
  if (!chatIds.length) return;
  await sql`
    update send_queue q set due_at = now()
    from unnest(${chatIds}::uuid[]) c (chat_id)
    cross join lateral (
      select id, due_at from send_queue f where f.chat_id = c.chat_id order by position limit 1
    ) first
    where q.id = first.id and first.due_at = 'infinity'
  `.execute(db);
}

export interface SequenceRequest {
  instanceId: string;
  messages: number;
  /** Of them, those that join the queue. */
  queued: number;
}

/**
 * Returns an `update`, to be run as a CTE, that allocates sequences for messages. The instances' queues must be locked.
 */
export const allocateSequences = (
  workspaceId: string,
  taken: readonly SequenceRequest[],
): RawBuilder<unknown> => sql`
  update instance_queues q set last_sequence = q.last_sequence + t.messages, last_position = q.last_position + t.queued,
    length = q.length + t.queued
  from unnest(
    ${taken.map(({ instanceId }) => instanceId)}::uuid[], ${taken.map(({ messages }) => messages)}::int[],
    ${taken.map(({ queued }) => queued)}::int[]
  ) t (instance_id, messages, queued)
  where q.workspace_id = ${workspaceId} and q.instance_id = t.instance_id
`;
