/**
 * The publication queue and the recorded message updates, across all workspaces.
 * | An endpoint is claimed with a transaction-level advisory lock. Its rows are selected by a LATER statement, whose
 * snapshot includes everything that the previous holder wrote (sequencer.system-store.ts). Queue statements contain
 * literal numbers: a plan cached while the queue was empty would scan the whole queue each time.
 */
import { sql } from 'kysely';
import { crc32 } from 'node:zlib';
import type { Database, Db, Tx } from '../../../../platform/db/database.ts';
import { type InputRow, type PublicationRow, readResult } from '../records/publication.store.ts';

/** First keys of the advisory locks. */
const BUCKET_LOCKS = 0x7062;
const ENDPOINT_LOCKS = 0x7065;
const BUCKETS = 64;
/** Endpoints of a bucket that are looked at in one statement. */
const PAGE = 8;
/** A process that hangs while it holds an endpoint loses its connection, and so the lock, after this time. */
const FROZEN_MS = 5_000;
/** How long a transaction waits for each lock that others hold: it keeps a place that persons share. */
const LOCK_WAIT_MS = 1_000;

export interface Queued {
  publication_id: string;
  workspace_id: string;
  endpoint_id: string;
  due_at: Date;
  failures: number;
}

export interface DueEndpoint {
  bucket: number;
  workspace_id: string;
  endpoint_id: string;
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

export interface EndpointPage {
  due: DueEndpoint[];
  /** Where the next page of each bucket begins that has one. */
  next: Map<number, string>;
}

/**
 * Returns endpoints with due rows, a page of each bucket: one index probe per endpoint, due or not.
 * @param after bucket → the endpoint behind which its page begins
 */
export async function findDueEndpoints(
  db: Database,
  after: ReadonlyMap<number, string>,
): Promise<EndpointPage> {
  if (!after.size) return { due: [], next: new Map() };
  const begins = [...after].map(
    ([bucket, endpoint]) => sql`(${sql.lit(bucket)}, ${sql.lit(endpoint)}::uuid)`,
  );
  const first = (behind: string) => sql`
    select q.endpoint_id, q.workspace_id, q.due_at from publication_queue q
    where q.bucket = b.bucket and q.endpoint_id > ${sql.ref(behind)} order by q.endpoint_id, q.due_at limit 1`;
  const { rows } = await sql<DueEndpoint & { is_due: boolean; nth: number }>`
    select b.bucket, found.* from (values ${sql.join(begins)}) b (bucket, after)
    cross join lateral (
      with recursive walk as (
        (select first.*, 1 as nth from (${first('b.after')}) first)
        union all
        select next.*, walk.nth + 1 from walk cross join lateral (${first('walk.endpoint_id')}) next
        where walk.nth < ${sql.lit(PAGE)}
      )
      select endpoint_id, workspace_id, due_at <= now() as is_due, nth from walk
    ) found
  `.execute(db);
  return {
    due: rows
      .filter(({ is_due: isDue }) => isDue)
      .map(({ bucket, workspace_id, endpoint_id }) => ({ bucket, workspace_id, endpoint_id })),
    next: new Map(rows.filter(({ nth }) => nth === PAGE).map((row) => [row.bucket, row.endpoint_id])),
  };
}

/**
 * Locks an endpoint, and bounds the waits of the transaction. Processes of earlier versions lock its whole bucket, so
 * that is shared with those of this one.
 */
async function lockEndpoint(
  db: Tx,
  { bucket, endpoint_id: id }: Omit<DueEndpoint, 'workspace_id'>,
): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock_shared(${sql.lit(BUCKET_LOCKS)}, ${sql.lit(bucket)})
        and pg_try_advisory_xact_lock(${sql.lit(ENDPOINT_LOCKS)}, ${sql.lit(crc32(id) | 0)}) as locked,
      set_config('idle_in_transaction_session_timeout', ${sql.lit(`${FROZEN_MS}ms`)}, true),
      set_config('lock_timeout', ${sql.lit(`${LOCK_WAIT_MS}ms`)}, true)
  `.execute(db);
  return rows[0]!.locked;
}

/** Claims due rows of an endpoint, oldest first. Returns nothing if another process holds the endpoint. */
export async function claimDue(db: Tx, endpoint: DueEndpoint, limit: number): Promise<Queued[]> {
  if (!(await lockEndpoint(db, endpoint))) return [];
  const { rows } = await sql<Queued>`
    select publication_id, workspace_id, endpoint_id, due_at, failures from publication_queue
    where bucket = ${sql.lit(endpoint.bucket)} and endpoint_id = ${sql.lit(endpoint.endpoint_id)}::uuid
      and due_at <= now()
    order by due_at, publication_id
    limit ${sql.lit(limit)}
  `.execute(db);
  return rows;
}

/** Claims a single publication. */
export async function claimOne(db: Tx, endpoint: DueEndpoint, id: string): Promise<Queued[]> {
  if (!(await lockEndpoint(db, endpoint))) return [];
  const { rows } = await sql<Queued>`
    select publication_id, workspace_id, endpoint_id, due_at, failures from publication_queue
    where publication_id = ${sql.lit(id)}::uuid and bucket = ${sql.lit(endpoint.bucket)} and due_at <= now()
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
