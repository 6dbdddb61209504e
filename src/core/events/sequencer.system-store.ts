/**
 * Moving committed outbox rows into the log, over all workspaces.
 *
 * A bucket (workspaces by hash) is moved under a transaction-level advisory lock that is released only after the
 * commit is visible, and the rows are chosen by a LATER statement, whose snapshot therefore has all that the holder
 * before wrote. So the sequence of a workspace is contiguous, and in the order in which its events were written as
 * far as their transactions had committed.
 *
 * Statements here have no parameters (numbers stand in the text): the outbox goes from empty to large within a
 * second, and a plan kept from when it was empty would read all of it each time.
 */
import { sql } from 'kysely';
import type { Database, Tx } from '../../platform/db/database.ts';
import type { CausationChain } from './event-writer.ts';

/** First key of the advisory locks of buckets. */
export const BUCKET_LOCKS = 0x7365;
/** A process that froze holding buckets loses its connection, and with it the locks, after this. */
const FROZEN_MS = 3_000;

/** An event as it was entered into the log, without its data. */
export interface Sequenced {
  id: string;
  workspace_id: string;
  sequence: number;
  type: string;
  resource_id: string | null;
  /** The rules that led to it; null where none did. */
  chain: CausationChain | null;
  created_at: Date;
}

/** What a fan-out throws where it would make more of these events than one transaction should: fewer are tried then. */
export class BatchTooLarge extends Error {}

/** @throws BatchTooLarge, never for one event */
export type FanOut = (tx: Tx, events: Sequenced[]) => Promise<void>;

/** One after the other, in the same transaction. */
export const joinFanOuts =
  (...fanOuts: readonly FanOut[]): FanOut =>
  async (tx, events) => {
    for (const fanOut of fanOuts) await fanOut(tx, events);
  };

/** The buckets with rows to move: one index probe for each, one in all where there are none. */
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

/** Takes the locks of those buckets that nobody else is moving. */
async function lockBuckets(tx: Tx, buckets: number[]): Promise<number[]> {
  const { rows } = await sql<{ bucket: number }>`
    select bucket, set_config('idle_in_transaction_session_timeout', ${sql.lit(`${FROZEN_MS}ms`)}, true)
    from unnest(array[${list(buckets)}]) as bucket
    where pg_try_advisory_xact_lock(${sql.lit(BUCKET_LOCKS)}, bucket)
  `.execute(tx);
  return rows.map(({ bucket }) => bucket);
}

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
    insert into events (id, workspace_id, sequence, type, resource_id, data, truncated, chain, created_at)
    select t.event_id, t.workspace_id,
           r.last_sequence - c.events + row_number() over (partition by t.workspace_id order by t.n),
           t.type, t.resource_id, t.data, t.truncated,
           coalesce(t.chain, (
             select o.chain from caused_resources o
             where o.workspace_id = t.workspace_id and o.resource_id = t.resource_id
           )),
           t.created_at
    from taken t
    join counted c on c.workspace_id = t.workspace_id
    join raised r on r.workspace_id = t.workspace_id
    returning id, workspace_id, sequence, type, resource_id, chain, created_at
  `.execute(tx);
  return rows;
}

export interface Moved {
  /** Whether this process got the locks of any of the buckets. */
  locked: boolean;
  events: Sequenced[];
  /** Whether there may be more that could be moved at once. */
  more: boolean;
}

/**
 * Moves up to about `most` rows of these buckets, the same share of each, in one transaction with their fan-out.
 * Buckets that another process is moving are left to it.
 */
export function moveRows(db: Database, buckets: number[], limit: number, fanOut: FanOut): Promise<Moved> {
  return moveLocked(db, buckets, fanOut, (tx, locked) => {
    const perBucket = Math.ceil(limit / locked.length);
    return { moving: move(tx, locked, perBucket, null), perBucket };
  });
}

/** Moves one row by itself. */
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

/** The first row of a bucket, or null. */
export async function headOf(db: Database, bucket: number): Promise<number | null> {
  const { rows } = await sql<{ n: number }>`
    select n from outbox where bucket = ${sql.lit(bucket)} order by n limit 1
  `.execute(db);
  return rows[0]?.n ?? null;
}

/** Sets a row aside. @returns false where it is gone already, or another process holds its bucket. */
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
  /** Rows that wait, counted up to 100,000. */
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
