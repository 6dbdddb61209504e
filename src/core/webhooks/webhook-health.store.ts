/**
 * Reads the health of receivers. Pending deliveries are counted up to a cap, which bounds the cost of each query; the
 * engine stores the rest in the receiver's row and in `webhook_stats`.
 */
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';

export interface Backlog {
  /** Up to one more than the cap. */
  waiting: number;
  sending: number;
  oldest_due_at: Date | null;
}

export interface HealthRow extends Backlog {
  id: string;
  url: string;
  enabled: boolean;
  disabled_reason: string | null;
  failing_since: Date | null;
  last_success_at: Date | null;
  last_failure_at: Date | null;
}

export interface HourRow {
  webhook_id: string;
  hour: Date;
  succeeded: number;
  failed: number;
  duration_ms: number;
}

/** A webhook that delivers is degraded from this many and this share of failed attempts on. */
const DEGRADED = { minFailed: 3, minShare: 0.1 };

export const isDegraded = ({ succeeded, failed }: { succeeded: number; failed: number }): boolean =>
  failed >= DEGRADED.minFailed && failed >= (succeeded + failed) * DEGRADED.minShare;

/**
 * Reads with plans that go by the order of an index alone. Else PostgreSQL may take another index that begins with the
 * receiver, read all that waits for one, and sort it, to give the first rows of it.
 */
function inOrderOfIndex<T>(db: Db, read: (db: Db) => Promise<T>): Promise<T> {
  const pinned = async (tx: Db): Promise<T> => {
    await sql`
      select set_config('enable_incremental_sort', 'off', true), set_config('enable_sort', 'off', true),
             set_config('enable_bitmapscan', 'off', true), set_config('enable_seqscan', 'off', true)
    `.execute(tx);
    return read(tx);
  };
  return db.isTransaction ? pinned(db) : db.transaction().execute(pinned);
}

/**
 * Rows in the queue, in their order, as a range over receiver and time: only the index on both has that order, so that
 * nothing else is tried, whatever statistics say of a table that is empty now and full a minute later.
 * @param through `infinity`, or `now()` for what is due
 */
const waitingFor = (receiver: string, through: 'infinity' | 'now()') => sql`
  delivery_queue q
  where (q.receiver_id, q.due_at) >= (${sql.ref(receiver)}, '-infinity'::timestamptz)
    and (q.receiver_id, q.due_at) <= (${sql.ref(receiver)}, ${through === 'infinity' ? sql`'infinity'::timestamptz` : sql`now()`})
    and q.claimed_by is null
  order by q.receiver_id, q.due_at`;

const getWaiting = (receiver: string, cap: number) => sql`
  (select count(*)::int from (select from ${waitingFor(receiver, 'infinity')} limit ${cap + 1}) waiting)`;
const oldestDue = (receiver: string) => sql`(select q.due_at from ${waitingFor(receiver, 'now()')} limit 1)`;

const toHealth = (cap: number) => sql`
  w.id, w.url, w.enabled, w.disabled_reason, r.failing_since, r.last_success_at, r.last_failure_at,
  r.in_flight as sending, ${getWaiting('r.id', cap)} as waiting, ${oldestDue('r.id')} as oldest_due_at`;

export async function getHealth(
  db: Db,
  workspaceId: string,
  webhookId: string,
  cap: number,
): Promise<HealthRow | undefined> {
  const query = sql<HealthRow>`
    select ${toHealth(cap)}
    from webhooks w join receivers r on r.id = w.id
    where w.workspace_id = ${workspaceId} and w.id = ${webhookId} and r.workspace_id = ${workspaceId}
  `;
  const { rows } = await inOrderOfIndex(db, (tx) => query.execute(tx));
  return rows[0];
}

/** Those that fail first, each part newest first; beyond `after`, one row more than `limit`. */
export async function listHealth(
  db: Db,
  workspaceId: string,
  after: { failing: boolean; id: string } | null,
  limit: number,
  cap: number,
): Promise<HealthRow[]> {
  const part = (failing: boolean) => {
    const behind =
      after === null || (after.failing && !failing)
        ? sql``
        : after.failing === failing
          ? sql`and id < ${after.id}`
          : sql`and false`;
    const which = failing
      ? sql`enabled and failing_since is not null`
      : sql`not (enabled and failing_since is not null)`;
    return sql`
      (select *, ${failing} as is_failing from receivers
       where workspace_id = ${workspaceId} and ${which} ${behind} order by id desc limit ${limit + 1})`;
  };
  const query = sql<HealthRow>`
    select ${toHealth(cap)}
    from (
      select * from (${part(true)} union all ${part(false)}) parts order by is_failing desc, id desc limit ${limit + 1}
    ) r
    join webhooks w on w.workspace_id = ${workspaceId} and w.id = r.id
    order by r.is_failing desc, r.id desc
  `;
  const { rows } = await inOrderOfIndex(db, (tx) => query.execute(tx));
  return rows;
}

export function listHours(
  db: Db,
  workspaceId: string,
  webhookIds: string[],
  since: Date,
): Promise<HourRow[]> {
  return db
    .selectFrom('webhook_stats')
    .select(['webhook_id', 'hour', 'succeeded', 'failed', 'duration_ms'])
    .where('workspace_id', '=', workspaceId)
    .where('webhook_id', '=', sql<string>`any (${webhookIds}::uuid[])`)
    .where('hour', '>=', since)
    .execute();
}

/** `isDegraded` of a receiver `r`, in SQL. */
const isDegradedSince = (since: Date) => sql`
  (select coalesce(sum(s.failed), 0) >= ${sql.lit(DEGRADED.minFailed)}
      and coalesce(sum(s.failed), 0) >= sum(s.succeeded + s.failed) * ${sql.lit(DEGRADED.minShare)}
   from webhook_stats s
   where s.workspace_id = r.workspace_id and s.webhook_id = r.id and s.hour >= ${since})`;

export interface QueueRow extends Backlog {
  /** Up to one more than the cap. */
  due: number;
  oldest_due_seconds: number | null;
  last_attempt_at: Date | null;
  attempts_this_hour: number;
  attempts_previous_hour: number;
  failing_webhooks: number;
  degraded_webhooks: number;
  disabled_webhooks: number;
}

/**
 * All receivers of a workspace together. A few index probes for each receiver, and counting up to the cap.
 * @param since the hour from which attempts decide whether a webhook is degraded
 */
export async function getQueue(db: Db, workspaceId: string, since: Date, cap: number): Promise<QueueRow> {
  const count = (through: 'infinity' | 'now()') => sql`
    (select count(*)::int from (
      select from receivers r
      cross join lateral (select from ${waitingFor('r.id', through)} limit ${cap + 1}) q
      where r.workspace_id = ${workspaceId} limit ${cap + 1}
    ) counted)`;
  const attempts = (hoursAgo: number) => sql`
    (select coalesce(sum(s.succeeded + s.failed), 0)::int from receivers r
     join webhook_stats s on s.workspace_id = r.workspace_id and s.webhook_id = r.id
     where r.workspace_id = ${workspaceId} and s.hour = date_trunc('hour', now()) - ${sql.lit(hoursAgo)} * interval '1 hour')`;
  const query = sql<QueueRow>`
    select ${count('infinity')} as waiting, ${count('now()')} as due,
           sending, oldest_due_at, extract(epoch from now() - oldest_due_at)::float8 as oldest_due_seconds, last_attempt_at,
           ${attempts(0)} as attempts_this_hour, ${attempts(1)} as attempts_previous_hour,
           failing_webhooks, degraded_webhooks, disabled_webhooks
    from (
      select coalesce(sum(in_flight), 0)::int as sending, min(${oldestDue('r.id')}) as oldest_due_at,
             greatest(max(last_success_at), max(last_failure_at)) as last_attempt_at,
             count(*) filter (where enabled and failing_since is not null)::int as failing_webhooks,
             count(*) filter (
               where enabled and failing_since is null and last_success_at > now() - interval '1 day' and ${isDegradedSince(since)}
             )::int as degraded_webhooks,
             count(*) filter (where not enabled)::int as disabled_webhooks
      from receivers r where r.workspace_id = ${workspaceId}
    ) all_receivers
  `;
  const { rows } = await inOrderOfIndex(db, (tx) => query.execute(tx));
  return rows[0]!;
}
