/**
 * The publication queue and the recorded message updates, across all workspaces.
 * | A bucket is claimed with a transaction-level advisory lock. Its rows are selected by a LATER statement, whose
 * snapshot includes everything that the previous holder wrote (sequencer.system-store.ts). Queue statements contain
 * literal numbers: a plan cached while the queue was empty would scan the whole queue each time.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Database, Db, Tx } from '../../../../platform/db/database.ts';
import { FIRST_UUID } from '../../../../platform/db/uuid-time.ts';
import { type InputRow, type PublicationRow, readResult } from '../publication.store.ts';

/** First key of the advisory locks for buckets. */
const BUCKET_LOCKS = 0x7062;
const BUCKETS = 64;
/** A process that hangs while it holds a bucket loses its connection, and so the lock, after this time. */
const FROZEN_MS = 5_000;

export interface Queued {
  publication_id: string;
  workspace_id: string;
  endpoint_id: string;
  due_at: Date;
  failures: number;
}

/** Returns the buckets with due rows: one index probe per bucket. */
export async function findBuckets(db: Database): Promise<number[]> {
  const { rows } = await sql<{ bucket: number }>`
    select b.bucket from generate_series(0, ${sql.lit(BUCKETS - 1)}) b (bucket)
    cross join lateral (
      select due_at from publication_queue q where q.bucket = b.bucket order by q.due_at limit 1
    ) first
    where first.due_at <= now()
  `.execute(db);
  return rows.map(({ bucket }) => bucket);
}

async function lockBucket(db: Tx, bucket: number): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(${sql.lit(BUCKET_LOCKS)}, ${sql.lit(bucket)}) as locked,
      set_config('idle_in_transaction_session_timeout', ${sql.lit(`${FROZEN_MS}ms`)}, true)
  `.execute(db);
  return rows[0]!.locked;
}

/** Returns the next endpoint after `after` with due rows; one index probe per endpoint on the way. */
async function endpointBehind(db: Db, bucket: number, after: string): Promise<string | null> {
  const first = (endpoint: RawBuilder<unknown>) => sql`
    select endpoint_id, due_at from publication_queue q
    where q.bucket = ${sql.lit(bucket)} and q.endpoint_id > ${endpoint} order by q.endpoint_id, q.due_at limit 1`;
  const { rows } = await sql<{ endpoint_id: string }>`
    with recursive walk as (
      (${first(sql`${sql.lit(after)}::uuid`)})
      union all
      select next.endpoint_id, next.due_at from walk
      cross join lateral (${first(sql.ref('walk.endpoint_id'))}) next
    )
    select endpoint_id from walk where due_at <= now() limit 1
  `.execute(db);
  return rows[0]?.endpoint_id ?? null;
}

/**
 * Claims due rows of the next endpoint in a bucket, oldest first. Endpoints are served round-robin, so a backlog of one
 * does not block others. Returns nothing if another process holds the bucket.
 * @param after the endpoint that was served last
 */
export async function claimDue(db: Tx, bucket: number, limit: number, after: string): Promise<Queued[]> {
  if (!(await lockBucket(db, bucket))) return [];
  const endpoint =
    (await endpointBehind(db, bucket, after)) ?? (await endpointBehind(db, bucket, FIRST_UUID));
  if (endpoint === null) return [];
  const { rows } = await sql<Queued>`
    select publication_id, workspace_id, endpoint_id, due_at, failures from publication_queue
    where bucket = ${sql.lit(bucket)} and endpoint_id = ${sql.lit(endpoint)}::uuid and due_at <= now()
    order by due_at, publication_id
    limit ${sql.lit(limit)}
  `.execute(db);
  return rows;
}

/** Claims a single publication. */
export async function claimOne(db: Tx, bucket: number, id: string): Promise<Queued[]> {
  if (!(await lockBucket(db, bucket))) return [];
  const { rows } = await sql<Queued>`
    select publication_id, workspace_id, endpoint_id, due_at, failures from publication_queue
    where publication_id = ${sql.lit(id)}::uuid and bucket = ${sql.lit(bucket)} and due_at <= now()
  `.execute(db);
  return rows;
}

export type ClaimedPublication = PublicationRow &
  Pick<InputRow, 'messages' | 'faults'> & {
    /** Whether its messages may contain the answer of a model. */
    asks_model: boolean;
  };

/** Locks publications of an endpoint until the end of the transaction, ordered by ID, and reads their current state. */
export async function lockClaimed(
  db: Tx,
  workspaceId: string,
  ids: readonly string[],
): Promise<ClaimedPublication[]> {
  await lockPublications(
    db,
    ids.map((id) => ({ workspaceId, id })),
  );
  const { rows } = await sql<ClaimedPublication>`
    select p.*, i.messages, i.faults, coalesce(r.results, '[]') as results,
      coalesce(jsonb_typeof(v.definition -> 'ask_model') = 'object', false) as asks_model
    from publications p
    join publication_inputs i on i.workspace_id = p.workspace_id and i.publication_id = p.id
    left join publishing_revisions v
      on v.workspace_id = p.workspace_id and v.endpoint_id = p.endpoint_id and v.revision = p.revision
    left join lateral (
      select json_agg(r order by r.position) as results from publication_results r
      where r.workspace_id = p.workspace_id and r.publication_id = p.id
    ) r on true
    where p.workspace_id = ${workspaceId} and p.id = any(${ids}::uuid[])
  `.execute(db);
  return rows.map((row) => ({ ...row, results: row.results.map(readResult) }));
}

export interface PublicationKey {
  workspaceId: string;
  id: string;
}

const columns = (keys: readonly PublicationKey[]) => sql`
  ${keys.map(({ workspaceId }) => workspaceId)}::uuid[], ${keys.map(({ id }) => id)}::uuid[]`;

export async function lockPublications(db: Tx, keys: readonly PublicationKey[]): Promise<void> {
  await sql`
    select 1 from unnest(${columns(keys)}) w (workspace_id, id)
    join publications p on p.workspace_id = w.workspace_id and p.id = w.id
    order by p.workspace_id, p.id for update of p
  `.execute(db);
}

export async function readPublications(db: Db, keys: readonly PublicationKey[]): Promise<PublicationRow[]> {
  const { rows } = await sql<PublicationRow>`
    select p.*, coalesce(r.results, '[]') as results
    from unnest(${columns(keys)}) w (workspace_id, id)
    join publications p on p.workspace_id = w.workspace_id and p.id = w.id
    left join lateral (
      select json_agg(r order by r.position) as results from publication_results r
      where r.workspace_id = p.workspace_id and r.publication_id = p.id
    ) r on true
  `.execute(db);
  return rows.map((row) => ({ ...row, results: row.results.map(readResult) }));
}

export async function endpointExists(db: Db, workspaceId: string, id: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from publishing_endpoints where workspace_id = ${workspaceId} and id = ${id}
  `.execute(db);
  return rows.length > 0;
}

/** Removes publications from the queue. */
export async function removeQueued(db: Db, ids: readonly string[]): Promise<void> {
  await sql`delete from publication_queue where publication_id = any(${ids}::uuid[])`.execute(db);
}

/** Delays a publication that could not be published. */
export async function reschedule(db: Db, { publication_id: id }: Queued, seconds: number): Promise<void> {
  await sql`
    update publication_queue set failures = least(failures + 1, 1000), due_at = now() + make_interval(secs => ${seconds})
    where publication_id = ${id}
  `.execute(db);
}

export interface Update {
  n: number;
  workspace_id: string;
  publication_id: string;
  is_arrival: boolean;
}

/** Consumes the oldest updates that no other process is consuming. */
export async function claimUpdates(db: Db, limit: number): Promise<Update[]> {
  const { rows } = await sql<Update>`
    delete from publication_news where n = any (array(
      select n from publication_news order by n limit ${sql.lit(limit)} for update skip locked
    ))
    returning n, workspace_id, publication_id, is_arrival
  `.execute(db);
  return rows;
}

/**
 * Discards the oldest update.
 * @returns the update, or null
 */
export const dropUpdate = async (db: Database): Promise<Update | null> =>
  (await claimUpdates(db, 1))[0] ?? null;

export interface Lag {
  /** Publications that are due, counted up to 100,000. */
  waiting: number;
  /** Age of the oldest due publication, in seconds. */
  seconds: number;
}

export async function readLag(db: Database): Promise<Lag> {
  const { rows } = await sql<Lag>`
    select (
        select count(*)::int from (select from publication_queue where due_at <= now() limit 100000) due
      ) as waiting,
      coalesce((
        select extract(epoch from now() - min(first.due_at))::float8
        from generate_series(0, ${sql.lit(BUCKETS - 1)}) b (bucket)
        cross join lateral (
          select due_at from publication_queue q where q.bucket = b.bucket order by q.due_at limit 1
        ) first
        where first.due_at <= now()
      ), 0) as seconds
  `.execute(db);
  return rows[0]!;
}
