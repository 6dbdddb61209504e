/** Stores budgets. A row whose window has ended is read as if the next window had already started. */
import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { likePattern } from '../../../platform/db/like-pattern.ts';
import type { ModelBudgets } from '../../../platform/db/tables.ts';
import { idRange } from '../../../platform/db/uuid-time.ts';
import type { Page } from '../../../platform/http/pagination.ts';
import { nextWindowSql, windowStartSql } from './budget-window.ts';

export interface BudgetRow extends Selectable<ModelBudgets> {
  resets_at: Date | null;
}

export interface BudgetFilter {
  search?: string;
  /** Database ID. */
  apiKeyId?: string;
  createdAfter?: string;
  createdBefore?: string;
}

const KIND = sql.ref('b.window_kind');
const ZONE = sql.ref('w.time_zone');

const selectBudgets = (now: Date) => sql`
  select b.workspace_id, b.id, b.name, b.api_key_id, b.unit, b.limit_amount, b.window_kind, b.reservation, b.metadata, b.created_by,
    b.version, b.created_at, b.updated_at, greatest(b.window_start, s.start) as window_start,
    case when s.start > b.window_start then 0 else b.used end as used,
    case when s.start > b.window_start then 0 else b.reserved end as reserved,
    case when s.start > b.window_start then 0 else b.announced end as announced,
    ${nextWindowSql(KIND, now, ZONE)} as resets_at
  from model_budgets b
  join workspaces w on w.id = b.workspace_id
  cross join lateral (select ${windowStartSql(KIND, now, ZONE)} as start) s`;

/** Lists budgets, newest first, one row more than the page holds. */
export async function listBudgets(
  db: Db,
  workspaceId: string,
  page: Page,
  { search, apiKeyId, ...created }: BudgetFilter,
  now: Date,
): Promise<BudgetRow[]> {
  const { from, below } = idRange(page.after, created);
  const { rows } = await sql<BudgetRow>`
    ${selectBudgets(now)}
    where b.workspace_id = ${workspaceId} and b.id >= ${from} and b.id < ${below}
      ${search === undefined ? sql`` : sql`and b.name ilike ${likePattern(search)}`}
      ${apiKeyId === undefined ? sql`` : sql`and b.api_key_id = ${apiKeyId}`}
    order by b.id desc limit ${page.limit + 1}
  `.execute(db);
  return rows;
}

/** Reads budgets in the order of their IDs. */
export async function getBudgets(
  db: Db,
  workspaceId: string,
  ids: readonly string[],
  now: Date,
): Promise<BudgetRow[]> {
  const { rows } = await sql<BudgetRow>`
    ${selectBudgets(now)}
    where b.workspace_id = ${workspaceId} and b.id = any(${[...ids]}::uuid[]) order by b.id
  `.execute(db);
  return rows;
}

/** Locks the row until the transaction ends, and reads it. */
export async function lockBudget(
  db: Tx,
  workspaceId: string,
  id: string,
  now: Date,
): Promise<BudgetRow | undefined> {
  await sql`
    select from model_budgets where workspace_id = ${workspaceId} and id = ${id} for update
  `.execute(db);
  const [row] = await getBudgets(db, workspaceId, [id], now);
  return row;
}

export type NewBudget = Pick<
  Selectable<ModelBudgets>,
  'id' | 'name' | 'api_key_id' | 'unit' | 'limit_amount' | 'window_kind' | 'reservation' | 'created_by'
> & { metadata: object };

/** Inserts a budget whose window begins with the day or month, or now for `total`. */
export async function insertBudget(
  db: Db,
  workspaceId: string,
  { metadata, ...row }: NewBudget,
  now: Date,
): Promise<void> {
  const start = windowStartSql(sql`${row.window_kind}::text`, now, sql.ref('time_zone'));
  await sql`
    insert into model_budgets (
      workspace_id, id, name, api_key_id, unit, limit_amount, window_kind, reservation, window_start, metadata, created_by,
      created_at, updated_at
    )
    select ${workspaceId}, ${row.id}, ${row.name}, ${row.api_key_id}, ${row.unit}, ${row.limit_amount},
      ${row.window_kind}, ${row.reservation}, coalesce(${start}, ${now}), ${JSON.stringify(metadata)}::jsonb, ${row.created_by}, ${now}, ${now}
    from workspaces where id = ${workspaceId}
  `.execute(db);
}

export async function updateBudget(
  db: Db,
  workspaceId: string,
  id: string,
  changes: { name: string; limit_amount: number; reservation: string; announced: number; metadata: object },
  now: Date,
): Promise<void> {
  await db
    .updateTable('model_budgets')
    .set({
      ...changes,
      metadata: JSON.stringify(changes.metadata),
      updated_at: now,
      version: sql`version + 1`,
    })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute();
}

/** Deletes a budget, and the slices that processes have drawn from it. */
export async function deleteBudget(db: Db, workspaceId: string, id: string): Promise<void> {
  await db
    .deleteFrom('model_budget_slices')
    .where('workspace_id', '=', workspaceId)
    .where('budget_id', '=', id)
    .execute();
  await db.deleteFrom('model_budgets').where('workspace_id', '=', workspaceId).where('id', '=', id).execute();
}

/** Counts the budgets of a workspace. */
export async function countBudgets(db: Db, workspaceId: string): Promise<number> {
  const row = await db
    .selectFrom('model_budgets')
    .select(sql<number>`count(*)`.as('count'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow();
  return row.count;
}

/** Whether the workspace has an API key with this ID, also a revoked one. */
export async function hasApiKey(db: Db, workspaceId: string, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('api_keys')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row !== undefined;
}
