/** Operations on budgets. */
import { requireUuid, toUuid } from '../../../core/vocabulary/ids.ts';
import { type Operation, operation } from '../../../core/api/operation.ts';
import { getPage } from '../../../platform/http/pagination.ts';
import { IdParams } from '../../../core/api/id-schema.ts';
import { toListSchema } from '../../../platform/http/schema.ts';
import type { Quotas } from '../../../core/workspaces/quota.ts';
import { Budget, BudgetList, CreateBudget, UpdateBudget } from './budget.schema.ts';
import type { Ledger } from '../contract/call-ledger.ts';
import * as service from './budget.service.ts';

const TAG = 'Budgets';

export interface BudgetOperationDeps {
  quotas: Quotas;
  ledger: Pick<Ledger, 'settle' | 'budgetsChanged'>;
}

export const budgetOperations = ({ quotas, ledger }: BudgetOperationDeps): Operation[] => [
  operation(
    {
      id: 'budgets.create',
      method: 'POST',
      path: '/budgets',
      tag: TAG,
      summary: 'Create a budget',
      description:
        'Limits what model calls of the workspace or of an API key may use. A call is admitted only if its worst case fits into every budget that applies to it, so parallel calls never exceed a budget together. Otherwise it fails with 402 `budget_exceeded`.',
      access: 'providers:write',
      body: CreateBudget,
      bodyExample: { name: 'Support bot', limit: { usd: 50 }, window: 'month' },
      success: { status: 201, description: 'The budget.', schema: Budget },
      errors: ['quota_exceeded', 'unprocessable'],
      audit: 'budget',
    },
    async ({ actor, body, unit }) => {
      unit.afterCommit(() => ledger.budgetsChanged(actor.workspaceId));
      const { budget, version } = await service.createBudget(unit, quotas, actor, body);
      const auditDetails = { name: budget.name, limit: budget.limit, window: budget.window };
      return { body: budget, version, created: true, auditDetails };
    },
  ),
  operation(
    {
      id: 'budgets.list',
      method: 'GET',
      path: '/budgets',
      tag: TAG,
      summary: 'List budgets',
      access: 'providers:read',
      query: BudgetList,
      success: {
        status: 200,
        description: 'A page of budgets, newest first.',
        schema: toListSchema(Budget),
      },
    },
    async ({ actor, query, unit }) => {
      await ledger.settle(actor.workspaceId);
      return {
        body: await service.listBudgets(unit, actor.workspaceId, getPage(query), {
          search: query.search,
          apiKeyId: query.api_key_id === undefined ? undefined : toUuid('api_key', query.api_key_id)!,
          createdAfter: query.created_after,
          createdBefore: query.created_before,
        }),
      };
    },
  ),
  operation(
    {
      id: 'budgets.get',
      method: 'GET',
      path: '/budgets/{id}',
      tag: TAG,
      summary: 'Get a budget',
      access: 'providers:read',
      params: IdParams('budget'),
      success: { status: 200, description: 'The budget.', schema: Budget },
    },
    async ({ actor, params, unit }) => {
      const id = requireUuid('budget', params.id);
      await ledger.settle(actor.workspaceId);
      const { budget, version } = await service.getBudget(unit, actor.workspaceId, id);
      return { body: budget, version };
    },
  ),
  operation(
    {
      id: 'budgets.update',
      method: 'PATCH',
      path: '/budgets/{id}',
      tag: TAG,
      summary: 'Update a budget',
      description:
        'Omitted fields stay unchanged. A new limit must have the same unit. It keeps the recorded usage, and its thresholds apply again. To change the unit, window or key, create another budget.',
      access: 'providers:write',
      params: IdParams('budget'),
      body: UpdateBudget,
      bodyExample: { limit: { usd: 80 } },
      success: { status: 200, description: 'The updated budget.', schema: Budget },
      errors: ['unprocessable'],
      audit: 'budget',
    },
    async ({ actor, params, body, unit, ifMatch }) => {
      const id = requireUuid('budget', params.id);
      unit.afterCommit(() => ledger.budgetsChanged(actor.workspaceId));
      const { budget, version } = await service.updateBudget(unit, actor, id, body, ifMatch);
      return { body: budget, version, auditDetails: { changed: Object.keys(body) } };
    },
  ),
  operation(
    {
      id: 'budgets.delete',
      method: 'DELETE',
      path: '/budgets/{id}',
      tag: TAG,
      summary: 'Delete a budget',
      description: 'The budget no longer limits calls. Recorded usage is kept.',
      access: 'providers:write',
      params: IdParams('budget'),
      success: { status: 204, description: 'Deleted.' },
      audit: 'budget',
    },
    async ({ actor, params, unit, ifMatch }) => {
      unit.afterCommit(() => ledger.budgetsChanged(actor.workspaceId));
      await service.deleteBudget(unit, actor, requireUuid('budget', params.id), ifMatch);
      return { body: undefined };
    },
  ),
];
