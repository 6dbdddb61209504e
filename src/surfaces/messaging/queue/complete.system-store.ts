/**
 * Completes claimed rows for all connections of a node. Call `lockHeldQueues` first, as a separate statement, so that
 * later statements see the writes of earlier lock holders.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../../../platform/db/database.ts';

/** The lease under which a node holds a connection. */
export interface Epoch {
  instance_id: string;
  node_id: string;
  epoch: number;
}

/**
 * The fence (connections/fence.ts) for many connections: those of `epochs` as `h`, their rows as `c`, if `IS_HELD`.
 * Lock `for share of c`, which completing, claiming and receiving of a connection may do concurrently.
 */
export const heldFilter = (epochs: readonly Epoch[]): RawBuilder<unknown> => sql`
  unnest(
    ${epochs.map((one) => one.instance_id)}::uuid[], ${epochs.map((one) => one.node_id)}::uuid[], ${epochs.map(({ epoch }) => epoch)}::bigint[]
  ) h (instance_id, node_id, epoch)
  join connections c on c.instance_id = h.instance_id
`;
export const IS_HELD = sql`
  c.epoch = h.epoch and c.node_id = h.node_id
  and exists (select from connection_nodes n where n.id = h.node_id and n.lease_until > clock_timestamp())
`;

/**
 * Executes the fence for many connections and locks their queues, each in ID order.
 * @returns the instances held by this node, which they remain until the commit
 */
export async function lockHeldQueues(tx: Tx, epochs: readonly Epoch[]): Promise<Set<string>> {
  const { rows } = await sql<{ instance_id: string }>`
    with held as materialized (
      select c.instance_id
      from ${heldFilter(epochs)}
      where ${IS_HELD}
      order by c.instance_id for share of c
    ), locked as materialized (
      select instance_id from instance_queues where instance_id = any (array(select instance_id from held))
      order by instance_id for update
    )
    select instance_id from locked
  `.execute(tx);
  return new Set(rows.map((row) => row.instance_id));
}

/**
 * Like `lockHeldQueues`, but skips locked rows instead of waiting.
 * @returns `held` as above; `busy`: instances that are also held by this node, but locked by others
 */
export async function tryHeldQueues(
  tx: Tx,
  epochs: readonly Epoch[],
): Promise<{ held: Set<string>; busy: Set<string> }> {
  if (!epochs.length) return { held: new Set(), busy: new Set() };
  const { rows } = await sql<{ instance_id: string; is_locked: boolean }>`
    with ours as materialized (
      select c.instance_id
      from ${heldFilter(epochs)}
      join instance_queues iq on iq.instance_id = c.instance_id
      where ${IS_HELD}
    ), held as materialized (
      select c.instance_id
      from ${heldFilter(epochs)}
      where ${IS_HELD}
      order by c.instance_id for share of c skip locked
    ), locked as materialized (
      select instance_id from instance_queues where instance_id = any (array(select instance_id from held))
      order by instance_id for update skip locked
    )
    select ours.instance_id, locked.instance_id is not null as is_locked
    from ours left join locked on locked.instance_id = ours.instance_id
  `.execute(tx);
  const of = (isLocked: boolean) =>
    new Set(rows.flatMap((row) => (row.is_locked === isLocked ? [row.instance_id] : [])));
  return { held: of(true), busy: of(false) };
}

/** Limits the time that the rest of the transaction waits for a lock. */
export async function boundWaits(tx: Tx, ms: number): Promise<void> {
  await sql`select set_config('lock_timeout', ${String(ms)}, true)`.execute(tx);
}

export interface CompletedRow {
  id: string;
  workspace_id: string;
  instance_id: string;
  chat_id: string | null;
  epoch: number;
  /** Whether the row is finished. Otherwise it is due again after `due_ms`. */
  ends: boolean;
  due_ms: number;
  /** Whether the channel may have accepted it. */
  uncertain: boolean;
  /** Attempts that do not count. */
  uncounted: number;
  error_code: string | null;
  error_detail: string | null;
  /** Key of the channel's ID of the sent message. */
  external_key: string | null;
}

/**
 * Completes or reschedules rows, makes the next row of each chat due, and stores external IDs as known. Rows no longer
 * claimed under their epoch are left alone.
 * @returns IDs of the rows that were claimed
 */
export async function completeRows(tx: Tx, rows: readonly CompletedRow[]): Promise<Set<string>> {
  if (!rows.length) return new Set();
  const ended = rows.filter(({ ends }) => ends).map(({ id }) => id);
  const { rows: completed } = await sql<{ id: string }>`
    with given as materialized (
      select * from json_to_recordset(${JSON.stringify(rows)}) as g (
        id uuid, workspace_id uuid, instance_id uuid, chat_id uuid, epoch bigint, ends boolean, due_ms float8, uncertain boolean,
        uncounted int, error_code text, error_detail text, external_key text
      )
    ), gone as (
      delete from send_queue q using given g where q.id = g.id and q.claimed_epoch = g.epoch and g.ends
      returning q.id, q.instance_id, q.chat_id, q.action
    ), again as (
      update send_queue q set claimed_epoch = null, due_at = clock_timestamp() + g.due_ms * interval '1 millisecond',
        uncertain = g.uncertain, attempts = greatest(0, q.attempts - g.uncounted),
        last_error_code = coalesce(g.error_code, q.last_error_code), last_error_detail = coalesce(g.error_detail, q.last_error_detail)
      from given g where q.id = g.id and q.claimed_epoch = g.epoch and not g.ends
      returning q.id
    ), counted as (
      update instance_queues iq set length = iq.length - n.sends
      from (select instance_id, count(*)::int as sends from gone where action = 'send' group by instance_id) n
      where iq.instance_id = n.instance_id
    ), seen as (
      insert into inbound_seen (workspace_id, instance_id, external_id, message_id)
      select g.workspace_id, g.instance_id, g.external_key, g.id from given g join gone on gone.id = g.id
      where g.external_key is not null
      on conflict (workspace_id, instance_id, external_id)
        do update set message_id = excluded.message_id, is_alias = false where inbound_seen.is_alias
    ), next as (
      update send_queue q set due_at = now()
      from (select distinct chat_id from gone where chat_id is not null) c
      cross join lateral (
        select id, due_at from send_queue f where f.chat_id = c.chat_id and f.id <> all (${ended}::uuid[]) order by position limit 1
      ) first
      where q.id = first.id and first.due_at = 'infinity'
    )
    select id from gone union all select id from again
  `.execute(tx);
  return new Set(completed.map(({ id }) => id));
}

/**
 * Locks queue rows before their messages, in the order of claims; waits for concurrent claims. Call after locking the
 * instance's queue.
 */
export async function lockRowsFor(tx: Tx, messageIds: readonly string[]): Promise<void> {
  if (!messageIds.length) return;
  await sql`
    select from send_queue where id = any (${messageIds}::uuid[]) and action = 'send' order by id for update
  `.execute(tx);
}

/**
 * Removes rows of messages that the channel is known to have, so that they are not sent again. Rows in progress are
 * left to their holder. Call after `lockRowsFor`.
 */
export async function removeSent(tx: Tx, messageIds: readonly string[]): Promise<void> {
  if (!messageIds.length) return;
  await sql`
    with gone as (
      delete from send_queue where id = any (${messageIds}::uuid[]) and action = 'send' and claimed_epoch is null
      returning id, instance_id, chat_id
    ), counted as (
      update instance_queues iq set length = iq.length - n.sends
      from (select instance_id, count(*)::int as sends from gone group by instance_id) n
      where iq.instance_id = n.instance_id
    )
    update send_queue q set due_at = now()
    from (select distinct chat_id from gone) c
    cross join lateral (
      select id, due_at from send_queue f where f.chat_id = c.chat_id and f.id <> all (${messageIds}::uuid[]) order by position limit 1
    ) first
    where q.id = first.id and first.due_at = 'infinity'
  `.execute(tx);
}
