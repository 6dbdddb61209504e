/** Statements that complete calls: in one transaction, or all in one where no threshold of a budget is crossed. */
import { type RawBuilder, sql } from 'kysely';
import { runBatch } from '../../../platform/db/batch.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import type { CallRow } from './call-record.ts';
import type { StatsRow } from './call-stats.ts';
import { BUCKET_COLUMNS } from '../contract/latency-buckets.ts';
import { TOKEN_DETAILS } from '../contract/token-details.ts';

export interface Reservation {
  budget_id: string;
  /** RFC 3339. */
  window_start: string;
  amount: number;
}

export interface ClosedCall {
  id: string;
  actor: string;
  operation: string;
  model: string;
  route: string | null;
  /** At most now. */
  lease_until: Date;
  journal_id: string | null;
  reservations: Reservation[];
}

/**
 * Removes open calls.
 * @returns the calls that this transaction ends, exclusively
 */
export async function closeCalls(tx: Tx, workspaceId: string, ids: readonly string[]): Promise<ClosedCall[]> {
  const { rows } = await sql<ClosedCall>`
    delete from model_open_calls where workspace_id = ${workspaceId} and id = any(${[...ids]}::uuid[])
    returning id, actor, operation, model, route, least(lease_until, now()) as lease_until, journal_id, reservations
  `.execute(tx);
  return rows;
}

export interface LockedBudget {
  id: string;
  unit: string;
  limit_amount: number;
  window_start: Date;
  used: number;
  reserved: number;
  announced: number;
}

/** Locks budgets in the order of their IDs, as admissions do, until the transaction ends. */
export async function lockBudgets(
  tx: Tx,
  workspaceId: string,
  ids: readonly string[],
): Promise<LockedBudget[]> {
  if (!ids.length) return [];
  const { rows } = await sql<LockedBudget>`
    select id, unit, limit_amount, window_start, used, reserved, announced from model_budgets
    where workspace_id = ${workspaceId} and id = any(${[...ids]}::uuid[]) order by id for update
  `.execute(tx);
  return rows;
}

const DETAILS = sql.join(TOKEN_DETAILS.map((name) => sql.ref(name)));
const RECORD_DETAILS = sql.join(TOKEN_DETAILS.map((name) => sql.ref(`r.${name}`)));
const definedAs = (type: 'integer' | 'bigint'): RawBuilder<unknown> =>
  sql.join(TOKEN_DETAILS.map((name) => sql`${sql.ref(name)} ${sql.raw(type)}`));

const CALLS = (rows: readonly CallRow[]): RawBuilder<unknown> => sql`
  jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (
    id uuid, actor text, operation text, model text, provider_id uuid, route text, outcome text, status smallint,
    error_code text, attempts text, input_tokens integer, cached_tokens integer, output_tokens integer,
    is_estimated boolean, cost bigint, first_byte_ms integer, duration_ms integer, is_test boolean, ${definedAs('integer')}
  )`;

/** @param from calls as `r`, with a WHERE clause if only some are inserted */
const insertCalls = (workspaceId: string, from: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  insert into model_calls (
    workspace_id, id, actor, operation, model, provider_id, route, outcome, status, error_code, attempts, input_tokens,
    cached_tokens, output_tokens, is_estimated, cost, first_byte_ms, duration_ms, is_test, ${DETAILS}
  )
  select ${workspaceId}, r.id, r.actor, r.operation, r.model, r.provider_id, r.route, r.outcome, r.status, r.error_code,
    r.attempts, r.input_tokens, r.cached_tokens, r.output_tokens, r.is_estimated, r.cost, r.first_byte_ms, r.duration_ms,
    r.is_test, ${RECORD_DETAILS}
  from ${from}`;

/** More is not counted. Prices are chosen by users, and a sum that is out of range would keep calls from being recorded. */
const MAX_COST_SUM = 9_000_000_000_000_000_000n;

const ADDED = [
  'calls',
  'failures',
  'input_tokens',
  'cached_tokens',
  'output_tokens',
  'unpriced_calls',
  ...TOKEN_DETAILS,
  ...BUCKET_COLUMNS,
];

/** In the order of the primary key, which is the lock order. @param where which of the rows */
const addStats = (workspaceId: string, rows: readonly StatsRow[], where = sql``): RawBuilder<unknown> => sql`
  insert into model_call_stats as s (
    workspace_id, day, actor, model, provider, route, calls, failures, input_tokens, cached_tokens, output_tokens, cost,
    unpriced_calls, ${DETAILS}, ${sql.join(BUCKET_COLUMNS.map((name) => sql.ref(name)))}
  )
  select ${workspaceId}, r.day, r.actor, r.model, r.provider, r.route, r.calls, r.failures, r.input_tokens,
    r.cached_tokens, r.output_tokens, r.cost, r.unpriced_calls, ${RECORD_DETAILS},
    ${sql.join(BUCKET_COLUMNS.map((_, n) => sql`(r.first_byte -> ${sql.lit(n)})::integer`))}
  from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (
    day date, actor text, model text, provider text, route text, calls bigint, failures bigint, input_tokens bigint,
    cached_tokens bigint, output_tokens bigint, cost bigint, unpriced_calls bigint, ${definedAs('bigint')}, first_byte jsonb
  )
  ${where}
  order by r.day, r.actor, r.model, r.provider, r.route
  on conflict (workspace_id, day, actor, model, provider, route) do update set
    cost = least(s.cost::numeric + excluded.cost, ${sql.lit(MAX_COST_SUM)})::bigint,
    ${sql.join(ADDED.map((name) => sql`${sql.ref(name)} = s.${sql.ref(name)} + excluded.${sql.ref(name)}`))}`;

export type SettledBudget = Pick<LockedBudget, 'id' | 'used' | 'reserved' | 'announced'>;

const settleBudgets = (workspaceId: string, rows: readonly SettledBudget[]): RawBuilder<unknown> => sql`
  update model_budgets b set used = r.used, reserved = r.reserved, announced = r.announced
  from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (
    id uuid, used bigint, reserved bigint, announced smallint
  )
  where b.workspace_id = ${workspaceId} and b.id = r.id`;

/** The amount that calls reserved from a journal's slice of a budget. */
export interface SliceUse {
  journal_id: string;
  budget_id: string;
  window_start: string;
  amount: number;
}

const useSlices = (workspaceId: string, uses: readonly SliceUse[]): RawBuilder<unknown> => sql`
  update model_budget_slices s set amount = s.amount - r.amount
  from jsonb_to_recordset(${JSON.stringify(uses)}::jsonb) as r (
    journal_id uuid, budget_id uuid, window_start timestamptz, amount bigint
  )
  where s.workspace_id = ${workspaceId} and s.journal_id = r.journal_id and s.budget_id = r.budget_id
    and s.window_start = r.window_start`;

/** Writes the calls, their totals, the settled budgets, whose rows are locked, and their slices in one statement. */
export const recordCalls = (
  tx: Tx,
  workspaceId: string,
  ended: {
    rows: readonly CallRow[];
    stats: readonly StatsRow[];
    budgets: readonly SettledBudget[];
    slices: readonly SliceUse[];
  },
): Promise<void> =>
  runBatch(tx, [
    insertCalls(workspaceId, CALLS(ended.rows)),
    addStats(workspaceId, ended.stats),
    ended.budgets.length ? settleBudgets(workspaceId, ended.budgets) : null,
    ended.slices.length ? useSlices(workspaceId, ended.slices) : null,
  ]);

export interface OpenRow {
  id: string;
  actor: string;
  operation: string;
  model: string;
  route: string | null;
  reservations: Reservation[];
}

/** Records calls of a journal as open. They have no lease. */
export async function insertOpenCalls(
  tx: Tx,
  workspaceId: string,
  journalId: string,
  calls: readonly OpenRow[],
): Promise<void> {
  if (!calls.length) return;
  await sql`
    insert into model_open_calls (
      workspace_id, id, actor, operation, model, route, lease_until, reservations, journal_id
    )
    select ${workspaceId}, r.id, r.actor, r.operation, r.model, r.route, 'infinity', r.reservations, ${journalId}
    from jsonb_to_recordset(${JSON.stringify(calls)}::jsonb) as r (
      id uuid, actor text, operation text, model text, route text, reservations jsonb
    )
  `.execute(tx);
}

/**
 * Completes calls of a workspace all together or none, in one statement: locks the calls and then their budgets in the
 * order of IDs, settles, records and counts.
 *
 * As in an admission, amounts are computed from locked rows alone. Call this outside of transactions.
 * @returns false if one of the calls is not open any more, or a threshold is crossed; nothing was written then
 */
export async function completeTogether(
  db: Db,
  workspaceId: string,
  calls: readonly CallRow[],
  stats: readonly StatsRow[],
): Promise<boolean> {
  const { rows } = await sql<{ is_done: boolean }>`
    with calls as materialized (
      select r.* from ${CALLS(calls)}
    ), open as materialized (
      select c.id, c.reservations from model_open_calls c
      where c.workspace_id = ${workspaceId} and c.id in (select id from calls) order by c.id for update
    ), parts as materialized (
      select o.id as call_id, n.budget_id, n.window_start, n.amount
      from open o cross join lateral jsonb_to_recordset(o.reservations)
        as n (budget_id uuid, window_start timestamptz, amount bigint)
    ), locked as materialized (
      select b.id, b.unit, b.limit_amount, b.window_start, b.used, b.reserved, b.announced from model_budgets b
      where b.workspace_id = ${workspaceId} and b.id = any (array(select budget_id from parts)) order by b.id for update
    ), settled as materialized (
      select l.id, l.announced, l.limit_amount, greatest(0, l.reserved - sum(p.amount)::bigint) as reserved,
        l.used + sum(
          case l.unit when 'calls' then 1 when 'tokens' then r.input_tokens::bigint + r.output_tokens
            else coalesce(r.cost, p.amount) end
        )::bigint as used
      from locked l
      join parts p on p.budget_id = l.id and p.window_start = l.window_start
      join calls r on r.id = p.call_id
      group by l.id, l.announced, l.limit_amount, l.reserved, l.used
    ), verdict as materialized (
      select (select count(*) from open) = ${calls.length}::integer and not exists (
        select from settled
        where limit_amount > 0 and announced < case
          when used >= limit_amount then 100 when used * 100 >= limit_amount * 80 then 80 else 0 end
      ) as is_done
    ), closed as (
      delete from model_open_calls c using open o, verdict v
      where v.is_done and c.workspace_id = ${workspaceId} and c.id = o.id
    ), budgets as (
      update model_budgets b set used = s.used, reserved = s.reserved from settled s, verdict v
      where v.is_done and b.workspace_id = ${workspaceId} and b.id = s.id
    ), recorded as (
      ${insertCalls(workspaceId, sql`calls r cross join verdict v where v.is_done`)}
    ), counted as (
      ${addStats(workspaceId, stats, sql`cross join verdict v where v.is_done`)}
    )
    select is_done from verdict
  `.execute(db);
  return rows[0]!.is_done;
}
