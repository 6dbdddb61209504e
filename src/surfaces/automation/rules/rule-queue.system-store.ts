/**
 * Claims queued events and runs, across all workspaces.
 * | Workspaces are served round-robin, each with a limit on its active runs, so that many or slow runs of one do not
 * block others. Per rule and object, one run is claimed at a time, in event order; runs waiting for a retry are
 * skipped. Claims are serialized across processes (an advisory lock until the commit), so that no two of them see the
 * same object as free.
 * | Statements have no parameters: the queue can grow from empty to large within a second, and a plan cached while it
 * was empty would scan it all each time.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Database, Db, Tx } from '../../../platform/db/database.ts';

const CLAIM_LOCK = 0x7275;
/** A process that hangs during a claim loses its connection, and so the lock, after this time. */
const FROZEN_MS = 3_000;
/** Rows of one workspace scanned per claim, and candidates among them: others wait for a run of the same object. */
const LOOKED_AT = 5_000;
const WINDOW = 200;

export interface Claimed {
  /** ID of the run. */
  id: string;
  workspace_id: string;
  rule_id: string;
  event_id: string;
  replay_of: string | null;
  /** Whether the run has already started. */
  started: boolean;
  /** Attempts of the current step. */
  tries: number;
}

const UUID = /^[0-9a-f-]{36}$/;
const literals = (ids: readonly string[]) => {
  for (const id of ids) if (!UUID.test(id)) throw new Error(`${id} is not a UUID`);
  return sql.raw(`array[${ids.map((id) => `'${id}'`).join(', ')}]::uuid[]`);
};
const literal = (id: string) => sql`(${literals([id])})[1]`;

/**
 * Returns workspaces with due rows, by ID after `after`. One index probe per workspace.
 * @param limit maximum workspaces to probe, with or without due rows
 */
export async function workspacesDue(
  db: Db,
  after: string,
  limit: number,
): Promise<{ workspace_id: string; due: boolean }[]> {
  const { rows } = await sql<{ workspace_id: string; due: boolean }>`
    with recursive found as (
      (select workspace_id, 1 as nth from rule_queue
       where claimed_by is null and workspace_id > ${literal(after)} order by workspace_id limit 1)
      union all
      select next.workspace_id, found.nth + 1 from found cross join lateral (
        select workspace_id from rule_queue q
        where q.claimed_by is null and q.workspace_id > found.workspace_id order by q.workspace_id limit 1
      ) next
      where found.nth < ${sql.lit(limit)}
    )
    select workspace_id, exists (
      select from rule_queue q where q.workspace_id = found.workspace_id and q.claimed_by is null and q.due_at <= now()
    ) as due
    from found
  `.execute(db);
  return rows;
}

/**
 * Takes the claim lock and forces index scans for the rest of the transaction.
 * @returns false if another process is claiming
 */
async function beginClaim(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(${sql.lit(CLAIM_LOCK)}, 0) as locked,
           set_config('idle_in_transaction_session_timeout', ${sql.lit(`${FROZEN_MS}ms`)}, true),
           set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
           set_config('jit', 'off', true)
  `.execute(tx);
  return rows[0]!.locked;
}

/**
 * Claims due rows.
 * @param worker new owner; must hold a lease
 * @param capacity maximum rows per workspace
 * @returns null if another process was claiming
 */
export const claim = (
  db: Database,
  worker: string,
  capacity: readonly { workspaceId: string; limit: number }[],
): Promise<Claimed[] | null> =>
  db.transaction().execute(async (tx) => {
    if (!(await beginClaim(tx))) return null;
    const spaces = literals(capacity.map(({ workspaceId }) => workspaceId));
    const limit = sql.raw(`array[${capacity.map((one) => Math.trunc(one.limit)).join(', ')}]::int[]`);
    const { rows } = await sql<Claimed>`
      with me as materialized (
        select from rule_workers where id = ${literal(worker)} and lease_until > now() for key share skip locked
      ), found as materialized (
        select first.id
        from unnest(${spaces}, ${limit}) w (workspace_id, most)
        cross join lateral (
          select q.id, q.due_at, q.position
          from (
            select d.*, row_number() over (
              partition by d.rule_id, coalesce(d.order_key, d.id::text) order by d.position, d.id
            ) as place
            from (
              select o.* from (
                select id, rule_id, order_key, position, due_at from rule_queue
                where workspace_id = w.workspace_id and claimed_by is null and due_at <= now()
                order by due_at, position limit ${sql.lit(LOOKED_AT)}
              ) o
              where not exists (
                select from rule_queue h
                where h.workspace_id = w.workspace_id and h.rule_id = o.rule_id and h.claimed_by is not null
                  and h.order_key = o.order_key
              )
              order by o.due_at, o.position limit ${sql.lit(WINDOW)}
            ) d
          ) q
          where q.place = 1
          order by q.due_at, q.position limit w.most
        ) first
        where exists (select from me)
      )
      update rule_queue q set claimed_by = ${literal(worker)}
      where q.id = any (array(select id from found)) and q.claimed_by is null
      returning q.id, q.workspace_id, q.rule_id, q.event_id, q.replay_of, q.started, q.tries
    `.execute(tx);
    return rows;
  });

/** Returns the claims of a worker, for use after a commit without a response. */
export async function claimedBy(db: Db, worker: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from rule_queue where claimed_by is not null and claimed_by = ${literal(worker)}
  `.execute(db);
  return rows.map(({ id }) => id);
}

/** Locks those rows that the worker still owns until the end of the transaction. */
export async function lockClaims(tx: Tx, worker: string, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from rule_queue where id = any (${literals(ids)}) and claimed_by = ${literal(worker)} order by id for update
  `.execute(tx);
  return new Set(rows.map(({ id }) => id));
}

/** Builds the statement that removes rows. */
export const removing = (ids: readonly string[]): RawBuilder<unknown> =>
  sql`delete from rule_queue where id = any (${literals(ids)})`;

export async function removeRows(tx: Db, ids: readonly string[]): Promise<void> {
  if (ids.length) await removing(ids).execute(tx);
}

/**
 * Locks a row of the worker until the end of the transaction.
 * @returns whether its rule is still enabled; undefined if the row is gone or has another owner
 */
export async function lockClaim(
  tx: Tx,
  worker: string,
  id: string,
): Promise<{ enabled: boolean } | undefined> {
  const { rows } = await sql<{ enabled: boolean }>`
    select coalesce(r.enabled, false) as enabled
    from rule_queue q left join rules r on r.workspace_id = q.workspace_id and r.id = q.rule_id
    where q.id = ${literal(id)} and q.claimed_by = ${literal(worker)} for update of q
  `.execute(tx);
  return rows[0];
}

/** Marks rows as started runs. */
export async function markStarted(tx: Db, ids: readonly string[]): Promise<void> {
  if (ids.length)
    await sql`update rule_queue set started = true where id = any (${literals(ids)})`.execute(tx);
}

/** Resets the attempts for the next step. */
export async function resetTries(tx: Db, id: string): Promise<void> {
  await sql`update rule_queue set tries = 0 where id = ${literal(id)} and tries <> 0`.execute(tx);
}

/** Releases a claim, due again after `waitMs`. No effect if it has another owner. */
export async function release(
  db: Db,
  worker: string,
  ids: readonly string[],
  { tries, waitMs }: { tries?: number; waitMs: number },
): Promise<void> {
  if (!ids.length) return;
  const tried = tries === undefined ? sql`` : sql`tries = ${sql.lit(tries)},`;
  await sql`
    update rule_queue set ${tried} claimed_by = null, due_at = now() + ${sql.lit(Math.trunc(waitMs))} * interval '1 millisecond'
    where id = any (${literals(ids)}) and claimed_by = ${literal(worker)}
  `.execute(db);
}

export interface RuleQueueHealth {
  /** Queued events and unfinished runs, counted up to 100,000. */
  waiting: number;
  /** Age of the oldest due row, in seconds. */
  oldest_due_seconds: number;
  workers: number;
}

export async function readQueueHealth(db: Db): Promise<RuleQueueHealth> {
  const { rows } = await sql<RuleQueueHealth>`
    select count(*)::int as waiting,
           coalesce(extract(epoch from now() - min(due_at) filter (where claimed_by is null and due_at <= now())), 0)::float8
             as oldest_due_seconds,
           (select count(*)::int from rule_workers where lease_until > now()) as workers
    from (select due_at, claimed_by from rule_queue limit 100000) q
  `.execute(db);
  return rows[0]!;
}
