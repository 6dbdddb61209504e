/**
 * Stores the outcome of claimed deliveries, across workspaces. Call in one transaction, in the order of the functions
 * here: endpoints are locked first, in the order of their IDs, and only later statements read their rows, so that these
 * see the writes of earlier lock holders.
 */
import { sql } from 'kysely';
import type { Tx } from '../../../platform/db/database.ts';
import { FROZEN_MS } from './lease.system-store.ts';

const MAX_WAKES = 1_000;
export const MAX_CANCELED = 1_000;

export interface PendingWakeup {
  receiver_id: string;
  order_key: string | null;
  /** False where the receiver is disabled or gone. */
  open: boolean;
}

/**
 * Locks the receivers of new rows and of `settled`, and makes receivers with new rows due. @returns the pending
 * wake-ups
 */
export async function takePendingWakeups(tx: Tx, settled: string[]): Promise<PendingWakeup[]> {
  const { rows } = await sql<PendingWakeup & { is_new: boolean }>`
    with woken as (
      delete from receiver_wakes where n = any (array(
        select n from receiver_wakes order by n limit ${MAX_WAKES} for update skip locked
      ))
      returning receiver_id, order_key
    ), locked as materialized (
      select id, enabled from receivers
      where id = any (${settled}::uuid[]) or id = any (array(select receiver_id from woken))
      order by id for update
    ), due as (
      update receivers r set next_due_at = least(r.next_due_at, now())
      from locked where r.id = locked.id and locked.enabled and r.id in (select receiver_id from woken)
    )
    select w.receiver_id, w.order_key, coalesce(l.enabled, false) as open, true as is_new
    from (select distinct receiver_id, order_key from woken) w left join locked l on l.id = w.receiver_id
    union all
    select id, null, enabled, false from locked -- or nothing would be locked where nothing is new
    union all
    select null, null, false, false
    where set_config('idle_in_transaction_session_timeout', ${`${FROZEN_MS}ms`}, true) is null
  `.execute(tx);
  return rows.filter(({ is_new }) => is_new);
}

/** The outcome of an attempt, and the part of it that is stored. */
export interface Completed {
  delivery_id: string;
  workspace_id: string;
  receiver_id: string;
  outcome: 'succeeded' | 'failed' | 'exhausted' | 'canceled';
  /** Why it was canceled, or null. */
  reason: string | null;
  /** ms until the next attempt; null if there is none. */
  due_ms: number | null;
  /** Of the next attempt. */
  step: number;
  timed_out: boolean;
  attempt: AttemptRecord | null;
}

export interface AttemptRecord {
  id: string;
  started_at: string;
  duration_ms: number;
  url: string;
  remote_address: string | null;
  request_headers: Record<string, string>;
  /** Where a template made it: its beginning. */
  request_body: string | null;
  status_code: number | null;
  response_headers: Record<string, string | string[]> | null;
  /** Base64. */
  response_body: string | null;
  response_truncated: boolean;
  error_code: string | null;
  error_detail: string | null;
}

export interface CompletedEndpoint {
  id: string;
  workspace_id: string;
  failing_since: Date | null;
}

/** Time-outs in a row after which a receiver gets an eighth of its slots, until it answers in time. */
const TIMEOUTS_UNTIL_FEWER_SLOTS = 5;
/** Failures with nothing between them for longer than this don't add up. */
const FAILURE_GAP = '48 hours';

/**
 * Records attempts, completes or reschedules deliveries, and frees the slots. Deliveries that are no longer claimed by
 * `worker` are left alone.
 * @returns the endpoints that failed
 */
export async function completeDeliveries(
  tx: Tx,
  worker: string,
  completed: Completed[],
): Promise<CompletedEndpoint[]> {
  if (!completed.length) return [];
  const ids = completed.map(({ delivery_id }) => delivery_id);
  const flat = completed.map(({ attempt, ...rest }) => ({ ...rest, tried: attempt !== null, ...attempt }));
  const { rows } = await sql<CompletedEndpoint>`
    with given as materialized (
      select * from json_to_recordset(${JSON.stringify(flat)}) as d (
        delivery_id uuid, workspace_id uuid, receiver_id uuid, outcome text, reason text, due_ms bigint, step smallint,
        timed_out boolean, tried boolean,
        id uuid, started_at timestamptz, duration_ms integer, url text, remote_address text, request_headers jsonb, request_body text,
        status_code smallint, response_headers jsonb, response_body text, response_truncated boolean,
        error_code text, error_detail text
      )
    ), over as (
      delete from delivery_queue q using given d
      where q.delivery_id = d.delivery_id and q.claimed_by = ${worker} and d.due_ms is null
      returning q.delivery_id, q.attempts
    ), again as (
      update delivery_queue q set claimed_by = null, step = d.step, due_at = now() + d.due_ms * interval '1 millisecond',
             attempts = q.attempts + d.tried::int
      from given d
      where q.delivery_id = d.delivery_id and q.claimed_by = ${worker} and d.due_ms is not null
      returning q.delivery_id, q.attempts - d.tried::int as attempts
    ), mine as materialized (
      select d.*, m.attempts + d.tried::int as number
      from given d
      join (select * from over union all select * from again) m on m.delivery_id = d.delivery_id
    ), recorded as (
      insert into delivery_attempts (
        workspace_id, delivery_id, id, number, started_at, duration_ms, url, remote_address, request_headers, request_body, status_code,
        response_headers, response_body, response_truncated, error_code, error_detail
      )
      select workspace_id, delivery_id, id, number, started_at, duration_ms, url, remote_address, request_headers, request_body, status_code,
             response_headers, decode(response_body, 'base64'), response_truncated, error_code, error_detail
      from mine where tried
    ), told as (
      update deliveries t set
        status = case m.outcome when 'failed' then 'pending' else m.outcome end,
        reason = m.reason,
        attempts = m.number,
        last_attempt_at = coalesce(m.started_at, t.last_attempt_at),
        last_status_code = case when m.tried then m.status_code else t.last_status_code end,
        last_error = case when m.tried then m.error_code else t.last_error end,
        completed_at = case when m.outcome <> 'failed' then now() end,
        failed_as = case when m.outcome in ('exhausted', 'canceled') then m.outcome end
      from mine m
      where t.workspace_id = m.workspace_id and t.id = m.delivery_id and t.id = any (${ids}::uuid[])
    ), counted as (
      insert into webhook_stats as s (workspace_id, webhook_id, hour, succeeded, failed, duration_ms)
      select workspace_id, receiver_id, date_trunc('hour', now()), count(*) filter (where outcome = 'succeeded'),
             count(*) filter (where outcome <> 'succeeded'), sum(duration_ms)
      from mine where tried group by 1, 2 order by 1, 2
      on conflict (workspace_id, webhook_id, hour) do update set succeeded = s.succeeded + excluded.succeeded,
        failed = s.failed + excluded.failed, duration_ms = s.duration_ms + excluded.duration_ms
    ), freed as (
      select receiver_id, count(*)::int as freed, bool_or(outcome = 'succeeded') as succeeded,
             bool_or(tried and outcome <> 'succeeded') as failed, count(*) filter (where timed_out)::int as timeouts,
             bool_or(tried and not timed_out) as answered,
             min(now() + due_ms * interval '1 millisecond') as due_at
      from mine group by receiver_id
    ), closed as (
      insert into receiver_wakes (workspace_id, receiver_id)
      select distinct m.workspace_id, m.receiver_id from mine m
      where m.due_ms is not null and not exists (select from receivers r where r.id = m.receiver_id and r.enabled)
    )
    update receivers r set
      in_flight = r.in_flight - f.freed,
      next_due_at = least(r.next_due_at, f.due_at),
      timeouts = n.timeouts,
      slots = case when n.timeouts >= ${TIMEOUTS_UNTIL_FEWER_SLOTS} then greatest(1, r.concurrency / 8) else r.concurrency end,
      failing_since = case
        when f.succeeded then null
        when not f.failed then r.failing_since
        when r.last_failure_at > now() - ${FAILURE_GAP}::interval then coalesce(r.failing_since, now())
        else now()
      end,
      last_success_at = case when f.succeeded then now() else r.last_success_at end,
      last_failure_at = case when f.failed then now() else r.last_failure_at end
    from freed f
    join receivers o on o.id = f.receiver_id
    cross join lateral (select case when f.answered then 0 else o.timeouts + f.timeouts end as timeouts) n
    where r.id = f.receiver_id
    returning r.id, r.workspace_id, case when f.failed and not f.succeeded then r.failing_since end as failing_since
  `.execute(tx);
  return rows.filter(({ failing_since }) => failing_since !== null);
}

export interface OrderKey {
  receiver_id: string;
  order_key: string;
  /** Whether it is known that none of its rows is being sent. */
  isFree: boolean;
}

/** Of each key, lets the first row go where it still waits for being the first. */
export async function promote(tx: Tx, keys: OrderKey[]): Promise<void> {
  if (!keys.length) return;
  await sql`
    with first as (
      select k.receiver_id, head.delivery_id
      from unnest(${keys.map((key) => key.receiver_id)}::uuid[], ${keys.map((key) => key.order_key)}::text[], ${keys.map((key) => key.isFree)}::boolean[]) k (receiver_id, order_key, is_free)
      cross join lateral (
        select delivery_id, due_at from delivery_queue q
        where q.receiver_id = k.receiver_id and q.order_key = k.order_key
        order by position, delivery_id limit 1
      ) head
      where head.due_at = 'infinity' and not exists (
        -- It was put in front of one that is being sent, and goes next.
        select from delivery_queue q
        where q.receiver_id = k.receiver_id and q.order_key = k.order_key and q.claimed_by is not null and not k.is_free
      )
    ), due as (
      update delivery_queue q set due_at = now() from first where q.delivery_id = first.delivery_id and q.claimed_by is null
      returning q.receiver_id
    )
    update receivers r set next_due_at = least(r.next_due_at, now()) where r.enabled and r.id in (select receiver_id from due)
  `.execute(tx);
}

/**
 * Cancels pending deliveries of disabled or deleted receivers, a bounded number at a time, and adds a wake-up for the
 * rest.
 * @returns how many were canceled
 */
export async function cancelWaiting(tx: Tx, receivers: string[]): Promise<number> {
  if (!receivers.length) return 0;
  const { rows } = await sql<{ count: number }>`
    with chosen as materialized (
      select delivery_id from delivery_queue
      where receiver_id = any (${receivers}::uuid[]) and claimed_by is null
      limit ${MAX_CANCELED}
    ), gone as (
      delete from delivery_queue where delivery_id = any (array(select delivery_id from chosen))
      returning workspace_id, delivery_id, receiver_id, order_key
    ), told as (
      update deliveries t set status = 'canceled', completed_at = now(), failed_as = 'canceled',
             reason = case when not exists (select from receivers r where r.id = gone.receiver_id) then 'webhook_deleted'
                           when t.last_status_code = 410 then 'gone' else 'webhook_disabled' end
      from gone where t.workspace_id = gone.workspace_id and t.id = gone.delivery_id
    ), more as (
      -- With the keys: should the webhook be enabled before the next turn, what waited for these goes on.
      insert into receiver_wakes (workspace_id, receiver_id, order_key)
      select distinct workspace_id, receiver_id, order_key from gone
      where (select count(*) from chosen) = ${MAX_CANCELED}
      union
      -- Their wakes are taken, also of those that none was canceled of.
      select q.workspace_id, r.id, null from unnest(${receivers}::uuid[]) r (id)
      cross join lateral (select workspace_id from delivery_queue where receiver_id = r.id limit 1) q
      where (select count(*) from chosen) = ${MAX_CANCELED}
    )
    select count(*)::int as count from gone
  `.execute(tx);
  return rows[0]!.count;
}
