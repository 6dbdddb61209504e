/** Creates, reads, updates and deletes budgets. The ledger (../ledger) counts their usage. */
import type { WorkspaceActor } from '../../../core/auth/actor.ts';
import type { ReadUnit, Unit } from '../../../core/unit/unit-of-work.ts';
import type { Quotas } from '../../../core/workspaces/quota.ts';
import { timeOfUuid } from '../../../platform/db/uuid-time.ts';
import { assertMatches, type IfMatch, type WithVersion } from '../../../platform/http/etag.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { type List, type Page, toList } from '../../../platform/http/pagination.ts';
import { notFound, Problem } from '../../../platform/http/problem.ts';
import { readLimit } from './budget-amount.ts';
import { presentBudget } from './budget-present.ts';
import { reachedThreshold } from './budget-threshold.ts';
import type { BudgetObject, CreateBudgetBody, UpdateBudgetBody } from './budget.schema.ts';
import * as store from './budget.store.ts';

export async function listBudgets(
  unit: ReadUnit,
  workspaceId: string,
  page: Page,
  filter: store.BudgetFilter,
): Promise<List<BudgetObject>> {
  const rows = await store.listBudgets(unit.db, workspaceId, page, filter, unit.clock());
  return toList(rows, page, ({ id }) => id, presentBudget);
}

/** @throws Problem not_found */
export async function getBudget(
  unit: ReadUnit,
  workspaceId: string,
  id: string,
): Promise<WithVersion<{ budget: BudgetObject }>> {
  const [row] = await store.getBudgets(unit.db, workspaceId, [id], unit.clock());
  if (!row) throw notFound('budget');
  return { budget: presentBudget(row), version: row.version };
}

/** @throws Problem unprocessable if the workspace has no such key */
async function readApiKeyId(
  unit: Unit,
  workspaceId: string,
  apiKeyId: string | null | undefined,
): Promise<string | null> {
  if (apiKeyId === null || apiKeyId === undefined) return null;
  const id = toUuid('api_key', apiKeyId);
  if (id !== null && (await store.hasApiKey(unit.db, workspaceId, id))) return id;
  throw new Problem('unprocessable', 'There is no such API key in this workspace.', {
    errors: [{ pointer: '/api_key_id', code: 'not_found', detail: 'must be the ID of an API key' }],
  });
}

/** @throws Problem quota_exceeded, unprocessable */
export async function createBudget(
  unit: Unit,
  quotas: Quotas,
  actor: WorkspaceActor,
  body: CreateBudgetBody,
): Promise<WithVersion<{ budget: BudgetObject }>> {
  const { workspaceId } = actor;
  await quotas.assert(unit, workspaceId, 'budgets');
  const { unit: limitUnit, amount } = readLimit(body.limit);
  const id = unit.newUuid();
  const row = {
    id,
    name: body.name.trim(),
    api_key_id: await readApiKeyId(unit, workspaceId, body.api_key_id),
    unit: limitUnit,
    limit_amount: amount,
    window_kind: body.window,
    reservation: body.reservation ?? 'worst_case',
    metadata: body.metadata ?? {},
    created_by: actor.id,
  };
  // Lists filter by the time in IDs.
  await store.insertBudget(unit.db, workspaceId, row, timeOfUuid(id));
  return getBudget(unit, workspaceId, id);
}

async function lock(unit: Unit, workspaceId: string, id: string, ifMatch: IfMatch): Promise<store.BudgetRow> {
  const row = await store.lockBudget(unit.db, workspaceId, id, unit.clock());
  if (!row) throw notFound('budget');
  assertMatches(ifMatch, row, 'budget');
  return row;
}

/** @throws Problem not_found, precondition_failed, unprocessable if the limit has another unit */
export async function updateBudget(
  unit: Unit,
  actor: WorkspaceActor,
  id: string,
  body: UpdateBudgetBody,
  ifMatch: IfMatch,
): Promise<WithVersion<{ budget: BudgetObject }>> {
  const { workspaceId } = actor;
  const row = await lock(unit, workspaceId, id, ifMatch);
  const limit = body.limit ? readLimit(body.limit) : { unit: row.unit, amount: row.limit_amount };
  if (limit.unit !== row.unit)
    throw new Problem('unprocessable', `The limit of this budget is in ${row.unit}. Create another budget.`, {
      errors: [{ pointer: '/limit', code: 'unit_changed', detail: `must be in ${row.unit}` }],
    });
  // Thresholds that the new limit puts out of reach are announced again when they are reached.
  const announced =
    limit.amount === row.limit_amount ? row.announced : reachedThreshold(row.used, limit.amount);
  const changes = {
    name: body.name === undefined ? row.name : body.name.trim(),
    limit_amount: limit.amount,
    reservation: body.reservation ?? row.reservation,
    announced,
    metadata: body.metadata ?? (row.metadata as object),
  };
  await store.updateBudget(unit.db, workspaceId, id, changes, unit.clock());
  return getBudget(unit, workspaceId, id);
}

/** @throws Problem not_found, precondition_failed */
export async function deleteBudget(
  unit: Unit,
  actor: WorkspaceActor,
  id: string,
  ifMatch: IfMatch,
): Promise<void> {
  await lock(unit, actor.workspaceId, id, ifMatch);
  await store.deleteBudget(unit.db, actor.workspaceId, id);
}
