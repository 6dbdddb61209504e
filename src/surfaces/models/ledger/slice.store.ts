/** Reads the budgets of a caller for a process, and draws slices from them. */
import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { nextWindowSql, windowStartSql } from '../budgets/budget-window.ts';
import { lockBudgets } from './completion.store.ts';

/** A slice is at most this fraction of the remaining amount. */
const SHARE = 16;

const KIND = sql.ref('b.window_kind');
const ZONE = sql.ref('w.time_zone');

export interface CallerBudget {
  id: string;
  unit: string;
  reservation: string;
  window_start: Date;
  resets_at: Date | null;
  /** Whether the next call starts another window. */
  is_over: boolean;
  /** The amount that is neither used nor reserved. */
  left: number;
  /** The amount of this journal's slice; null without one. */
  slice: number | null;
}

export interface CallerProfile {
  storesContent: boolean;
  budgets: CallerBudget[];
}

/**
 * Reads the budgets that apply to a caller.
 * @param keyId ID of the calling API key, or null
 * @returns null if the workspace is deleted
 */
export async function readProfile(
  db: Db,
  workspaceId: string,
  keyId: string | null,
  journalId: string,
  now: Date,
): Promise<CallerProfile | null> {
  const { rows } = await sql<
    { store_model_calls: boolean } & { [K in keyof CallerBudget]: CallerBudget[K] | null }
  >`
    select w.store_model_calls, b.id, b.unit, b.reservation, b.window_start, b.resets_at, b.is_over, b.left, b.slice
    from workspaces w left join lateral (
      select b.id, b.unit, b.reservation, b.window_start, ${nextWindowSql(KIND, now, ZONE)} as resets_at,
        coalesce(${windowStartSql(KIND, now, ZONE)} > b.window_start, false) as is_over,
        b.limit_amount - b.used - b.reserved as left, s.amount as slice
      from model_budgets b
      left join model_budget_slices s on s.workspace_id = b.workspace_id and s.budget_id = b.id
        and s.journal_id = ${journalId} and s.window_start = b.window_start
      where b.workspace_id = w.id and (b.api_key_id is null or b.api_key_id = ${keyId} or b.api_key_id = any (array(
        select unnest(k.ancestors) from api_keys k where k.workspace_id = w.id and k.id = ${keyId}
      )))
    ) b on true
    where w.id = ${workspaceId} and w.deleted_at is null
  `.execute(db);
  if (!rows.length) return null;
  return {
    storesContent: rows[0]!.store_model_calls,
    budgets: rows.filter((row): row is CallerBudget & { store_model_calls: boolean } => row.id !== null),
  };
}

/** A request of a process for a slice of a budget, in the budget's unit. */
export interface SliceRequest {
  budget_id: string;
  most: number;
  /** A smaller slice is not worth a transaction. */
  least: number;
}

export interface Grant {
  budget_id: string;
  window_start: Date;
  resets_at: Date | null;
  amount: number;
}

/** Draws slices of budgets, each a small part of the remaining amount. If little remains, it draws nothing. */
export async function drawSlices(
  tx: Tx,
  workspaceId: string,
  journalId: string,
  requests: readonly SliceRequest[],
  now: Date,
): Promise<Grant[]> {
  await lockBudgets(
    tx,
    workspaceId,
    requests.map(({ budget_id: id }) => id),
  );
  const { rows } = await sql<Grant>`
    with granted as materialized (
      select b.id, b.window_start, ${nextWindowSql(KIND, now, ZONE)} as resets_at,
        least(r.most, (b.limit_amount - b.used - b.reserved) / ${sql.lit(SHARE)}) as amount
      from model_budgets b
      join workspaces w on w.id = b.workspace_id and w.deleted_at is null
      join jsonb_to_recordset(${JSON.stringify(requests)}::jsonb) as r (budget_id uuid, most bigint, least bigint)
        on r.budget_id = b.id
      where b.workspace_id = ${workspaceId}
        and not coalesce(${windowStartSql(KIND, now, ZONE)} > b.window_start, false)
        and least(r.most, (b.limit_amount - b.used - b.reserved) / ${sql.lit(SHARE)}) >= r.least
    ), drawn as (
      insert into model_budget_slices as s (workspace_id, budget_id, journal_id, window_start, amount)
      select ${workspaceId}, g.id, ${journalId}, g.window_start, g.amount from granted g
      on conflict (workspace_id, budget_id, journal_id) do update set
        amount = case when s.window_start = excluded.window_start then s.amount else 0 end + excluded.amount,
        window_start = excluded.window_start
    ), reserved as (
      update model_budgets b set reserved = b.reserved + g.amount from granted g
      where b.workspace_id = ${workspaceId} and b.id = g.id
    )
    select id as budget_id, window_start, resets_at, amount from granted
  `.execute(tx);
  return rows;
}

export interface SliceRest {
  budget_id: string;
  /** RFC 3339. */
  window_start: string;
  amount: number;
}

/** Returns the unused part of slices. */
export async function giveBack(
  tx: Tx,
  workspaceId: string,
  journalId: string,
  rests: readonly SliceRest[],
): Promise<void> {
  await lockBudgets(
    tx,
    workspaceId,
    rests.map(({ budget_id: id }) => id),
  );
  await sql`
    with given as (
      update model_budget_slices s set amount = s.amount - r.amount
      from jsonb_to_recordset(${JSON.stringify(rests)}::jsonb) as r (
        budget_id uuid, window_start timestamptz, amount bigint
      )
      where s.workspace_id = ${workspaceId} and s.journal_id = ${journalId} and s.budget_id = r.budget_id
        and s.window_start = r.window_start
      returning s.budget_id, s.window_start, r.amount
    )
    update model_budgets b set reserved = greatest(0, b.reserved - g.amount) from given g
    where b.workspace_id = ${workspaceId} and b.id = g.budget_id and b.window_start = g.window_start
  `.execute(tx);
}
