/**
 * Claiming what rules wait for, over all workspaces.
 *
 * Workspaces take turns, and each has a bound on what it has under way, so that nobody waits behind the many or slow runs of
 * another. Of a rule and an object one run is claimed at a time, the first in the order of events; a run that waits for
 * another try is passed over. Claims go one after the other over all processes (an advisory lock until the commit), so that no
 * two of them see the same object free.
 *
 * Statements here have no parameters: the queue goes from empty to large within a second, and a plan kept from when it was
 * empty would read all of it each time.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Database, Queryable, Transaction } from '../../../platform/db/database.ts';

const CLAIM_LOCK = 0x7275;
/** A process that froze within a claim loses its connection, and with it the lock, after this. */
const FROZEN_MS = 3_000;
/** Rows of one workspace that a claim looks at, and those of them that it chooses from: others wait for one of their kind. */
const LOOKED_AT = 5_000;
const WINDOW = 200;

export interface Claimed {
  /** The run's. */
  id: string;
  workspace_id: string;
  rule_id: string;
  event_id: string;
  replay_of: string | null;
  /** Whether the run is in the log already. */
  started: boolean;
  /** Tries of the step that is next. */
  tries: number;
}

const UUID = /^[0-9a-f-]{36}$/;
const literals = (ids: readonly string[]) => {
  for (const id of ids) if (!UUID.test(id)) throw new Error(`${id} is not a UUID`);
  return sql.raw(`array[${ids.map((id) => `'${id}'`).join(', ')}]::uuid[]`);
};
const literal = (id: string) => sql`(${literals([id])})[1]`;

/**
 * Workspaces with something due, in the order of their ids from behind `after`. One index probe for each.
 * @param most how many are looked at, whether something is due there or not
 */
export async function workspacesDue(
  db: Queryable,
  after: string,
  most: number,
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
      where found.nth < ${sql.lit(most)}
    )
    select workspace_id, exists (
      select from rule_queue q where q.workspace_id = found.workspace_id and q.claimed_by is null and q.due_at <= now()
    ) as due
    from found
  `.execute(db);
  return rows;
}

/** For the rest of the transaction: read by index, whatever statistics say. @returns false where another process claims */
async function beginClaim(tx: Transaction): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(${sql.lit(CLAIM_LOCK)}, 0) as locked,
           set_config('idle_in_transaction_session_timeout', ${sql.lit(`${FROZEN_MS}ms`)}, true),
           set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
           set_config('jit', 'off', true)
  `.execute(tx);
  return rows[0]!.locked;
}

/**
 * @param worker whose claims they become; without a lease it gets none
 * @param room how many of each workspace at most
 * @returns null where another process was claiming
 */
export const claim = (
  db: Database,
  worker: string,
  room: readonly { workspaceId: string; most: number }[],
): Promise<Claimed[] | null> =>
  db.transaction().execute(async (tx) => {
    if (!(await beginClaim(tx))) return null;
    const spaces = literals(room.map(({ workspaceId }) => workspaceId));
    const most = sql.raw(`array[${room.map((one) => Math.trunc(one.most)).join(', ')}]::int[]`);
    const { rows } = await sql<Claimed>`
      with me as materialized (
        select from rule_workers where id = ${literal(worker)} and lease_until > now() for key share skip locked
      ), found as materialized (
        select first.id
        from unnest(${spaces}, ${most}) w (workspace_id, most)
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

/** What a worker holds, for after a claim whose commit was never answered. */
export async function claimedBy(db: Queryable, worker: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from rule_queue where claimed_by is not null and claimed_by = ${literal(worker)}
  `.execute(db);
  return rows.map(({ id }) => id);
}

/** Of these rows those that are still the worker's own, locked until the transaction ends. */
export async function lockClaims(
  tx: Queryable,
  worker: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from rule_queue where id = any (${literals(ids)}) and claimed_by = ${literal(worker)} order by id for update
  `.execute(tx);
  return new Set(rows.map(({ id }) => id));
}

/** A statement that takes them out. */
export const removing = (ids: readonly string[]): RawBuilder<unknown> =>
  sql`delete from rule_queue where id = any (${literals(ids)})`;

export async function removeRows(tx: Queryable, ids: readonly string[]): Promise<void> {
  if (ids.length) await removing(ids).execute(tx);
}

/**
 * Locks a row that is the worker's own until the transaction ends. @returns whether its rule still runs; undefined where the
 * row is somebody else's by now, or gone
 */
export async function lockClaim(
  tx: Queryable,
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

/** They are runs of the log from now on. */
export async function markStarted(tx: Queryable, ids: readonly string[]): Promise<void> {
  if (ids.length)
    await sql`update rule_queue set started = true where id = any (${literals(ids)})`.execute(tx);
}

/** The next step begins: its tries are counted anew. */
export async function resetTries(tx: Queryable, id: string): Promise<void> {
  await sql`update rule_queue set tries = 0 where id = ${literal(id)} and tries <> 0`.execute(tx);
}

/** Gives a claim back, to be taken again after `waitMs`. Nothing where it is somebody else's by now. */
export async function release(
  db: Queryable,
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
  /** Events that rules wait to look at, and runs that are not over, counted up to 100,000. */
  waiting: number;
  /** How long the one that is due longest has waited, in seconds. */
  oldest_due_seconds: number;
  workers: number;
}

export async function readQueueHealth(db: Queryable): Promise<RuleQueueHealth> {
  const { rows } = await sql<RuleQueueHealth>`
    select count(*)::int as waiting,
           coalesce(extract(epoch from now() - min(due_at) filter (where claimed_by is null and due_at <= now())), 0)::float8
             as oldest_due_seconds,
           (select count(*)::int from rule_workers where lease_until > now()) as workers
    from (select due_at, claimed_by from rule_queue limit 100000) q
  `.execute(db);
  return rows[0]!;
}
