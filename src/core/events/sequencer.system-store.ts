/**
 * Moves committed outbox rows into the log, across all workspaces.
 *
 * A bucket (workspaces by hash) is moved under a transaction-level advisory lock, which is released only after the
 * commit is visible. The rows are selected by a LATER statement, whose snapshot therefore includes everything that the
 * previous holder wrote. So a workspace's sequence is contiguous, and follows the order in which its events were
 * written, as far as their transactions had committed.
 *
 * These statements have no parameters (numbers are inlined): the outbox can go from empty to large within a second,
 * and a plan cached while it was empty would read the whole table each time.
 */
import { sql } from 'kysely';
import type { Database, Tx } from '../../platform/db/database.ts';
import { isTracing } from '../../platform/tracing/tracing.ts';
import type { CausationChain } from '../unit/event-writer.ts';

/** First key of the advisory locks of buckets. */
export const BUCKET_LOCKS = 0x7365;
/** A frozen process that holds buckets loses its connection, and thereby its locks, after this time. */
const FROZEN_MS = 3_000;

/** An event as inserted into the log, without its data. */
export interface Sequenced {
  id: string;
  workspace_id: string;
  sequence: number;
  type: string;
  resource_id: string | null;
  /** The causation chain of rules; null if no rule caused the event. */
  chain: CausationChain | null;
  created_at: Date;
  /** Instance of a message, as its data has it; null for other events. */
  instance_id: string | null;
  /** Error code of `message.failed`, its first 100 characters: channels choose it. */
  error_code: string | null;
  /** Whether `message.delivered` or `message.read` is the first to say that the channel accepted the message. */
  skips_sent: boolean | null;
}

/** Thrown by a fan-out that would write too much in one transaction. The batch is retried with fewer events. */
export class BatchTooLarge extends Error {}

/** @throws BatchTooLarge, never for one event */
export type FanOut = (tx: Tx, events: Sequenced[]) => Promise<void>;

/** Combines fan-outs: they run in sequence, in the same transaction. */
export const joinFanOuts =
  (...fanOuts: readonly FanOut[]): FanOut =>
  async (tx, events) => {
    for (const fanOut of fanOuts) await fanOut(tx, events);
  };

/** Finds the buckets with rows to move: one index probe per bucket, or one in total if the outbox is empty. */
export async function findBuckets(db: Database): Promise<number[]> {
  const { rows } = await sql<{ bucket: number }>`
    with recursive found as (
      (select bucket from outbox order by bucket limit 1)
      union all
      select (select o.bucket from outbox o where o.bucket > found.bucket order by o.bucket limit 1)
      from found where found.bucket is not null
    )
    select bucket from found where bucket is not null
  `.execute(db);
  return rows.map(({ bucket }) => bucket);
}

const list = (numbers: number[]) => sql.raw(numbers.map((n) => Math.trunc(n)).join(', '));

/** Locks the buckets that no other process is moving, and returns them. */
async function lockBuckets(tx: Tx, buckets: number[]): Promise<number[]> {
  const { rows } = await sql<{ bucket: number }>`
    select bucket, set_config('idle_in_transaction_session_timeout', ${sql.lit(`${FROZEN_MS}ms`)}, true)
    from unnest(array[${list(buckets)}]) as bucket
    where pg_try_advisory_xact_lock(${sql.lit(BUCKET_LOCKS)}, bucket)
  `.execute(tx);
  return rows.map(({ bucket }) => bucket);
}

/**
 * The members of message data that fan-out needs. Reading the events again would depend on a plan for tables that grow
 * fast.
 */
const FROM_DATA = sql`
  case when type like 'message.%' then data #>> '{object,instance_id}' end as instance_id,
  case when type = 'message.failed' then left(data #>> '{object,error,code}', 100) end as error_code,
  case when type in ('message.delivered', 'message.read') then jsonb_array_length(jsonb_path_query_array(
    data, '$.object.status_history[*].status ? (@ == "sent" || @ == "delivered" || @ == "read" || @ == "received")'
  )) = 1 end as skips_sent
`;

/**
 * The trace of an event that was not written within one. Not read by servers without tracing. Later events of a message
 * or a link continue its trace.
 */
const traced = () =>
  isTracing()
    ? sql`coalesce(t.traceparent, (
        select o.traceparent from traced_resources o
        where o.workspace_id = t.workspace_id and o.resource_id = t.resource_id
      ))`
    : sql`t.traceparent`;

async function move(tx: Tx, buckets: number[], perBucket: number, only: number | null): Promise<Sequenced[]> {
  const { rows } = await sql<Sequenced>`
    with taken as (
      delete from outbox where ctid = any (array(
        select o.row_id
        from unnest(array[${list(buckets)}]) as b (bucket)
        cross join lateral (
          select ctid as row_id from outbox
          where outbox.bucket = b.bucket ${only === null ? sql`` : sql`and n = ${sql.lit(only)}`}
          order by n limit ${sql.lit(perBucket)}
        ) o
      ))
      returning *
    ), counted as (
      select workspace_id, count(*) as events from taken group by workspace_id
    ), raised as (
      insert into workspace_sequences as s (workspace_id, last_sequence)
      select workspace_id, events from counted order by workspace_id
      on conflict (workspace_id) do update set last_sequence = s.last_sequence + excluded.last_sequence
      returning s.workspace_id, s.last_sequence
    )
    insert into events (id, workspace_id, sequence, type, resource_id, data, truncated, chain, traceparent, created_at)
    select t.event_id, t.workspace_id,
           r.last_sequence - c.events + row_number() over (partition by t.workspace_id order by t.n),
           t.type, t.resource_id, t.data, t.truncated,
           coalesce(t.chain, (
             select o.chain from caused_resources o
             where o.workspace_id = t.workspace_id and o.resource_id = t.resource_id
           )),
           ${traced()}, t.created_at
    from taken t
    join counted c on c.workspace_id = t.workspace_id
    join raised r on r.workspace_id = t.workspace_id
    returning id, workspace_id, sequence, type, resource_id, chain, created_at, ${FROM_DATA}
  `.execute(tx);
  return rows;
}

export interface Moved {
  /** Whether this process locked at least one of the buckets. */
  locked: boolean;
  events: Sequenced[];
  /** Whether more rows may be ready to move immediately. */
  more: boolean;
}

/**
 * Moves up to about `limit` rows of these buckets, an equal share of each, in one transaction with their fan-out.
 * Skips buckets that another process is moving.
 */
export function moveRows(db: Database, buckets: number[], limit: number, fanOut: FanOut): Promise<Moved> {
  return moveLocked(db, buckets, fanOut, (tx, locked) => {
    const perBucket = Math.ceil(limit / locked.length);
    return { moving: move(tx, locked, perBucket, null), perBucket };
  });
}

/** Moves a single row. */
export function moveRow(db: Database, bucket: number, n: number, fanOut: FanOut): Promise<Moved> {
  return moveLocked(db, [bucket], fanOut, (tx, locked) => ({ moving: move(tx, locked, 1, n), perBucket: 2 }));
}

function moveLocked(
  db: Database,
  buckets: number[],
  fanOut: FanOut,
  begin: (tx: Tx, locked: number[]) => { moving: Promise<Sequenced[]>; perBucket: number },
): Promise<Moved> {
  return db.transaction().execute(async (tx) => {
    const locked = await lockBuckets(tx, buckets);
    if (!locked.length) return { locked: false, events: [], more: false };
    const { moving, perBucket } = begin(tx, locked);
    const events = await moving;
    if (events.length) await fanOut(tx, events);
    return { locked: true, events, more: events.length >= perBucket };
  });
}

/** Returns the number of the first row of a bucket, or null if the bucket is empty. */
export async function getFirstRow(db: Database, bucket: number): Promise<number | null> {
  const { rows } = await sql<{ n: number }>`
    select n from outbox where bucket = ${sql.lit(bucket)} order by n limit 1
  `.execute(db);
  return rows[0]?.n ?? null;
}

/** Sets a row aside. @returns false if it is already gone or another process holds its bucket. */
export function rejectRow(db: Database, bucket: number, n: number, error: string): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    if (!(await lockBuckets(tx, [bucket])).length) return false;
    const { rows } = await sql`
      with bad as (delete from outbox where n = ${n} returning *)
      insert into outbox_rejected (n, bucket, workspace_id, event_id, type, resource_id, data, truncated, chain, created_at, error)
      select n, bucket, workspace_id, event_id, type, resource_id, data, truncated, chain, created_at, ${error} from bad
      returning n
    `.execute(tx);
    return rows.length > 0;
  });
}

export interface Lag {
  /** Waiting rows, counted up to 100,000. */
  waiting: number;
  /** Age of the oldest, in seconds. */
  seconds: number;
  /** Rows set aside. */
  rejected: number;
}

export async function readLag(db: Database): Promise<Lag> {
  const { rows } = await sql<Lag>`
    select (select count(*) from (select from outbox limit 100000) waiting) as waiting,
           coalesce(
             (select extract(epoch from clock_timestamp() - created_at)::float8 from outbox order by n limit 1), 0
           ) as seconds,
           (select count(*) from outbox_rejected) as rejected
  `.execute(db);
  return rows[0]!;
}
