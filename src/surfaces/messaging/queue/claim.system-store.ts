/**
 * Claims due rows of the send queue for all connections of a node.
 *
 * A claim carries the fence: it locks this node's rows of `connections`, under their epochs and the node's lease, so
 * that a takeover sees all earlier claims. Due rows of each connection are found with an index probe. A message becomes
 * `sending` in the transaction of its claim, before a byte is sent.
 */
import { sql } from 'kysely';
import type { Tx } from '../../../platform/db/database.ts';
import type { GroupTask } from '../records/group-task.ts';
import type { QueueAction } from '../records/queue-row.store.ts';
import { type Epoch, heldFilter, IS_HELD } from './complete.system-store.ts';

/** The message of a row, as of its claim. */
export interface ClaimedMessage {
  id: string;
  type: string;
  content: unknown;
  subject: string | null;
  thread_id: string | null;
  media_id: string | null;
  reply_to: string | null;
  reply_to_external_id: string | null;
  mentions: string[];
  direction: string;
  source: string;
  external_id: string | null;
  from_address: string | null;
}

/** The data of an action besides the message. */
export interface Payload {
  /** For `edit`. */
  text?: string;
  /** For `react`; null removes the reaction. */
  emoji?: string | null;
  /** For `block` and `unblock`. */
  address?: string;
  /** For `check`, whose response becomes the result of the job. */
  addresses?: string[];
  /** The same addresses as requested; `normalised` is null for invalid ones. */
  asked?: { address: string; normalised: string | null }[];
  job_id?: string;
  /** For `group`, whose outcome becomes the result of the job. */
  group?: GroupTask;
}

export interface Claimed {
  id: string;
  workspace_id: string;
  instance_id: string;
  chat_id: string | null;
  message_id: string | null;
  action: QueueAction;
  payload: Payload | null;
  /** Number of times that it was passed to the channel, including this one. */
  attempts: number;
  epoch: number;
  uncertain: boolean;
  expires_at: Date;
  resend_unknown: boolean;
  chat: { kind: 'direct' | 'group'; key: string; address: string } | null;
  /** Null if the action concerns no message, or the message must not be sent any more. */
  message: ClaimedMessage | null;
  /** W3C traceparent of the attempt to send it. Not a column. */
  traceparent?: string;
}

export interface EligibleConnection extends Epoch {
  /** Maximum number of rows. */
  free: number;
}

/**
 * Makes the rest of the transaction read the queue in the order of its index, row by row. With statistics from when the
 * queue was empty, the planner would read and sort all waiting rows each time.
 */
export async function readByIndex(tx: Tx): Promise<void> {
  await sql`
    select set_config('enable_bitmapscan', 'off', true), set_config('enable_seqscan', 'off', true),
           set_config('enable_sort', 'off', true), set_config('jit', 'off', true)
  `.execute(tx);
}

const CLAIMED = sql`
  select c.id, c.workspace_id, c.instance_id, c.chat_id, c.message_id, c.action, c.payload, c.attempts, c.claimed_epoch as epoch,
    c.uncertain, c.expires_at, coalesce(i.resend_unknown, false) as resend_unknown,
    case when h.id is not null then json_build_object('kind', h.kind, 'key', h.key, 'address', h.address, 'title', h.title) end as chat,
    coalesce(t.message, m.message) as message
  from claimed c
  left join instances i on i.workspace_id = c.workspace_id and i.id = c.instance_id
  left join chats h on h.workspace_id = c.workspace_id and h.id = c.chat_id
  left join told t on t.id = c.message_id
  left join lateral (
    select json_build_object('id', m.id, 'type', m.type, 'content', m.content, 'subject', m.subject, 'thread_id', m.thread_id, 'media_id', m.media_id,
      'reply_to', m.reply_to, 'reply_to_external_id', m.reply_to_external_id, 'mentions', m.mentions, 'direction', m.direction,
      'source', m.source, 'external_id', m.external_id, 'from_address', m.from_address) as message
    from messages m where c.action <> 'send' and m.workspace_id = c.workspace_id and m.id = c.message_id
  ) m on true
  order by c.position
`;

/** Evaluated in the update, which sees the current message even if it changed during the claim. */
const TOLD = sql`
  update messages m set status = 'sending', updated_at = now(), version = m.version + 1, status_history = case m.status
    when 'queued' then m.status_history || jsonb_build_array(jsonb_build_object('status', 'sending', 'at',
      to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
    else m.status_history end
  from claimed c
  where c.action = 'send' and m.workspace_id = c.workspace_id and m.id = c.message_id and m.status in ('queued', 'sending')
  returning m.id, json_build_object('id', m.id, 'type', m.type, 'content', m.content, 'subject', m.subject, 'thread_id', m.thread_id, 'media_id', m.media_id,
    'reply_to', m.reply_to, 'reply_to_external_id', m.reply_to_external_id, 'mentions', m.mentions, 'direction', m.direction,
    'source', m.source, 'external_id', m.external_id, 'from_address', m.from_address) as message
`;

/** The eligible connections of this node. Connections locked by others are skipped; they follow in a later cycle. */
const getHeld = (eligibleConnections: readonly Epoch[], free: readonly number[]) => sql`
  select h.instance_id, h.epoch, f.free
  from ${heldFilter(eligibleConnections)}
  join unnest(${eligibleConnections.map((one) => one.instance_id)}::uuid[], ${free}::int[]) f (instance_id, free) on f.instance_id = h.instance_id
  where ${IS_HELD}
  for share of c skip locked
`;

/**
 * Claims due rows. The fence is a separate statement, so that rows are chosen by what was committed before it: clearing
 * a queue locks the connection's row, so a claim has either committed and is seen, or sees the clearing. Rows that wait
 * for their file are checked again after a second. Call after `readByIndex`.
 * @param cooling chats that must not be sent to yet
 */
export async function claim(
  tx: Tx,
  eligibleConnections: readonly EligibleConnection[],
  cooling: readonly string[],
): Promise<Claimed[]> {
  if (!eligibleConnections.length) return [];
  const free = eligibleConnections.map((one) => one.free);
  const { rows: held } = await sql<{ instance_id: string; epoch: number; free: number }>`
    ${getHeld(eligibleConnections, free)}
  `.execute(tx);
  if (!held.length) return [];
  const { rows } = await sql<Claimed>`
    with held (instance_id, epoch, free) as materialized (
      select * from unnest(
        ${held.map((one) => one.instance_id)}::uuid[], ${held.map(({ epoch }) => epoch)}::bigint[], ${held.map((one) => one.free)}::int[]
      )
    ), found as materialized (
      select q.id, q.workspace_id, q.message_id, q.action, held.epoch
      from held
      join instance_queues iq on iq.instance_id = held.instance_id
      cross join lateral (
        select id, workspace_id, message_id, action from send_queue s
        where s.instance_id = held.instance_id and s.due_at <= now() and s.claimed_epoch is null
          and (s.uncertain or (s.position > iq.cleared_through and s.expires_at > now()))
          and (s.chat_id is null or s.chat_id <> all (${cooling}::uuid[]))
        order by s.due_at limit held.free
        for update skip locked
      ) q
    ), waiting as materialized (
      select f.id from found f
      join messages m on m.workspace_id = f.workspace_id and m.id = f.message_id
      join media d on d.workspace_id = m.workspace_id and d.id = m.media_id
      where f.action = 'send' and d.state = 'pending'
    ), postponed as (
      update send_queue set due_at = now() + interval '1 second' where id in (select id from waiting)
    ), claimed as (
      update send_queue q set claimed_epoch = found.epoch, attempts = least(q.attempts + 1, 32767)
      from found where q.id = found.id and found.id not in (select id from waiting)
      returning q.*
    ), told as (${TOLD})
    ${CLAIMED}
  `.execute(tx);
  return rows;
}

/**
 * Takes over the rows that earlier holders had in progress, whose outcome is unknown. Must be called for a connection
 * before other rows of it are claimed, after `readByIndex`.
 */
export async function recoverClaims(
  tx: Tx,
  eligibleConnections: readonly Epoch[],
): Promise<{ held: Set<string>; claimed: Claimed[] }> {
  const { rows } = await sql<Claimed & { held_id: string | null }>`
    with held as materialized (
      ${getHeld(
        eligibleConnections,
        eligibleConnections.map(() => 0),
      )}
    ), found as materialized (
      select q.id, held.epoch from held
      join send_queue q on q.instance_id = held.instance_id
        and q.due_at <= now() and q.claimed_epoch is not null and q.claimed_epoch <> held.epoch
    ), left_over as materialized (
      -- By id, the order in which inbound signals lock messages.
      select q.id, f.epoch from (select * from found order by id) f
      cross join lateral (select id from send_queue where id = f.id for update) q
    ), claimed as (
      update send_queue q set claimed_epoch = l.epoch, uncertain = true, attempts = least(q.attempts + 1, 32767)
      from left_over l where q.id = l.id
      returning q.*
    ), told as (${TOLD}), all_claimed as (${CLAIMED})
    select held.instance_id as held_id, a.* from held left join all_claimed a on a.instance_id = held.instance_id
  `.execute(tx);
  const held = new Set(rows.flatMap(({ held_id: id }) => id ?? []));
  return { held, claimed: rows.filter(({ id }) => id !== null) };
}

/** Returns rows claimed under these epochs, for a node that does not know whether its claim was committed. */
export async function claimedUnder(tx: Tx, eligibleConnections: readonly Epoch[]): Promise<Claimed[]> {
  const { rows } = await sql<Claimed>`
    select q.id, q.workspace_id, q.instance_id, q.chat_id, q.message_id, q.action, q.payload, q.attempts, q.claimed_epoch as epoch,
      q.uncertain, q.expires_at, false as resend_unknown, null as chat, null as message
    from unnest(${eligibleConnections.map((one) => one.instance_id)}::uuid[], ${eligibleConnections.map(({ epoch }) => epoch)}::bigint[]) h (instance_id, epoch)
    join send_queue q on q.instance_id = h.instance_id and q.claimed_epoch = h.epoch and q.due_at <= now()
  `.execute(tx);
  return rows;
}
