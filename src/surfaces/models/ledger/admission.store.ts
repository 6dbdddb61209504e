/** The statement that admits calls. */
import { sql } from 'kysely';
import { boundLockWait, type Db } from '../../../platform/db/database.ts';
import { nextWindowSql, windowStartSql } from '../budgets/budget-window.ts';
import { leaseUntil } from './lease-until.ts';

/** A call as the statement reads it. */
export interface AdmissionRow {
  /** Database ID of the new call. */
  id: string;
  /** Public ID. */
  actor: string;
  /** Database ID of the API key that calls, or null. */
  key_id: string | null;
  operation: string;
  model: string;
  route: string | null;
  /** Upper bounds. Costs are billionths of a USD; null if not known. */
  tokens: number;
  cost: number | null;
  typical_tokens: number;
  typical_cost: number | null;
}

/** A budget that applies to the calls, as it was before them but in its current window. */
export interface AppliedBudget {
  id: string;
  name: string;
  unit: string;
  limit_amount: number;
  reservation: string;
  window_start: Date;
  resets_at: Date | null;
  used: number;
  reserved: number;
  /** The total that the calls need; null if the cost of one is unknown. */
  needed: number | null;
  fits: boolean;
  announced_before: number;
  announced_after: number;
}

interface Verdict {
  is_admitted: boolean;
  store_model_calls: boolean;
}

/**
 * Admits calls of a workspace all together or none, in one statement: locks the budgets that apply in the order of their
 * IDs, starts windows that are due, checks that everything fits, reserves it, and records the calls as open.
 *
 * Each amount is computed from `locked`: its rows are current also where another transaction changed them after this
 * statement took its snapshot. Nothing else here may be read from budgets.
 * @param mayCross whether the calls may cross a threshold of a budget, which the caller announces in the same transaction
 * @returns `isAdmitted` is false if a budget lacks something, or a threshold is crossed; nothing was written then.
 * `storesContent` is the workspace's setting
 */
export async function admitCalls(
  db: Db,
  workspaceId: string,
  calls: readonly AdmissionRow[],
  { now, mayCross }: { now: Date; mayCross: boolean },
): Promise<{ isAdmitted: boolean; storesContent: boolean; budgets: AppliedBudget[] }> {
  const kind = sql.ref('l.window_kind');
  const zone = sql.ref('z.time_zone');
  const { rows } = await sql<Partial<AppliedBudget> & Verdict>`
    with zone as (
      select time_zone, store_model_calls from workspaces where id = ${workspaceId} and deleted_at is null
    ), calls as materialized (
      select g.id, g.actor, g.operation, g.model, g.route, g.tokens, g.cost, g.typical_tokens, g.typical_cost,
        case when g.key_id is null then '{}'::uuid[] else coalesce(k.ancestors, '{}') || g.key_id end as key_ids
      from jsonb_to_recordset(${JSON.stringify(calls)}::jsonb) as g (
        id uuid, actor text, key_id uuid, operation text, model text, route text, tokens bigint, cost bigint,
        typical_tokens bigint, typical_cost bigint
      )
      left join api_keys k on k.workspace_id = ${workspaceId} and k.id = g.key_id
    ), locked as materialized (
      select b.id, b.name, b.api_key_id, b.unit, b.limit_amount, b.reservation, b.window_kind, b.window_start, b.used, b.reserved,
        b.announced
      from model_budgets b
      where b.workspace_id = ${workspaceId} and ${boundLockWait} is not null
        and (b.api_key_id is null or b.api_key_id = any (array(select unnest(key_ids) from calls)))
      order by b.id for update
    ), due as (
      select l.id, l.name, l.api_key_id, l.unit, l.limit_amount, l.reservation, l.used, l.reserved, l.announced, coalesce(s.start > l.window_start, false) as is_over, greatest(l.window_start, s.start) as start,
        ${nextWindowSql(kind, now, zone)} as resets_at
      from locked l cross join zone z cross join lateral (select ${windowStartSql(kind, now, zone)} as start) s
    ), needs as (
      select d.id, c.id as call_id, case
          when d.unit = 'calls' then 1
          when d.reservation = 'typical' then case d.unit when 'tokens' then c.typical_tokens else c.typical_cost end
          else case d.unit when 'tokens' then c.tokens else c.cost end
        end as amount
      from due d join calls c on d.api_key_id is null or d.api_key_id = any (c.key_ids)
    ), applied as (
      select d.id, d.name, d.unit, d.limit_amount, d.reservation, d.start, d.resets_at,
        case when d.is_over then 0 else d.used end as used,
        case when d.is_over then 0 else d.reserved end as reserved,
        case when d.is_over then 0 else d.announced end as announced,
        case when n.is_priced then n.amount end as needed
      from due d
      join (
        select id, sum(amount)::bigint as amount, bool_and(amount is not null) as is_priced from needs group by id
      ) n on n.id = d.id
    ), checked as (
      select a.id, a.name, a.unit, a.limit_amount, a.reservation, a.start, a.resets_at, a.used, a.reserved, a.announced, a.needed,
        coalesce(needed = 0 or used + reserved + needed <= limit_amount, false) as fits,
        case
          -- Each admitted call will count, however it ends. What tokens and costs will be is not known yet.
          when unit <> 'calls' or limit_amount = 0 then announced
          -- Slices are reserved, but not all of them will be used. Calls from them announce when they are loaded.
          when exists (
            select from model_budget_slices s
            where s.workspace_id = ${workspaceId} and s.budget_id = a.id and s.window_start = a.start and s.amount > 0
          ) then announced
          when used + reserved + needed >= limit_amount then 100
          when (used + reserved + needed) * 100 >= limit_amount * 80 then greatest(announced, 80)
          else announced
        end as announced_after
      from applied a
    ), verdict as (
      select (
        select coalesce(bool_and(fits and (${mayCross} or announced_after = announced)), true) from checked
      ) as is_admitted
      from zone
    ), reserved as (
      update model_budgets b
      set window_start = c.start, used = c.used, reserved = c.reserved + c.needed, announced = c.announced_after
      from checked c, verdict v
      where v.is_admitted and b.workspace_id = ${workspaceId} and b.id = c.id
    ), opened as (
      insert into model_open_calls (workspace_id, id, actor, operation, model, route, lease_until, reservations)
      select ${workspaceId}, c.id, c.actor, c.operation, c.model, c.route, ${leaseUntil}, coalesce((
        select jsonb_agg(jsonb_build_object('budget_id', n.id, 'window_start', a.start, 'amount', n.amount))
        from needs n join applied a on a.id = n.id where n.call_id = c.id
      ), '[]')
      from calls c, verdict v where v.is_admitted
    )
    select v.is_admitted, z.store_model_calls, c.id, c.name, c.unit, c.limit_amount, c.reservation, c.start as window_start, c.resets_at, c.used, c.reserved,
      c.needed, c.fits, c.announced as announced_before, c.announced_after
    from verdict v cross join zone z left join checked c on true
  `.execute(db);
  const budgets = rows.filter((row): row is AppliedBudget & Verdict => row.id !== null);
  const { is_admitted: isAdmitted = false, store_model_calls: storesContent = false } = rows[0] ?? {};
  return { isAdmitted, storesContent, budgets };
}
