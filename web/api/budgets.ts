/** Budgets of model calls. */
import { queryOptions } from '@tanstack/react-query';
import { apiFor, unwrap } from './client.ts';
import { ifMatch } from './edit.ts';
import { listQuery } from './list.ts';
import type { operations } from './schema.d.ts';
import type { Budget } from './types.ts';

export type NewBudget = operations['budgets.create']['requestBody']['content']['application/json'];
export type BudgetChange = NonNullable<
  operations['budgets.update']['requestBody']
>['content']['application/json'];
export type BudgetFilter = Omit<
  NonNullable<operations['budgets.list']['parameters']['query']>,
  'limit' | 'cursor'
>;

/** How often the list is polled: use of a budget emits no event. */
const LIST_MS = 5_000;

export const budgetsKey = (workspaceId: string) => ['ws', workspaceId, 'budgets'] as const;

export const budgetsQuery = (workspaceId: string, filter: BudgetFilter = {}) => ({
  ...listQuery([...budgetsKey(workspaceId), 'list', filter], (page, signal) =>
    unwrap(apiFor(workspaceId).GET('/api/v1/budgets', { params: { query: { ...page, ...filter } }, signal })),
  ),
  // Not once further pages are loaded, which would all be read again.
  refetchInterval: ({ state: { data } }: { state: { data?: { pages: unknown[] } | undefined } }) =>
    (data?.pages.length ?? 0) <= 1 ? LIST_MS : (false as const),
});

export const budgetQuery = (workspaceId: string, id: string) =>
  queryOptions({
    queryKey: [...budgetsKey(workspaceId), 'one', id],
    queryFn: ({ signal }) =>
      unwrap(apiFor(workspaceId).GET('/api/v1/budgets/{id}', { params: { path: { id } }, signal })),
  });

export const createBudget = (workspaceId: string, body: NewBudget): Promise<Budget> =>
  unwrap(apiFor(workspaceId).POST('/api/v1/budgets', { body }));

/** @param version the ETag that was read; null overwrites whatever there is */
export const updateBudget = (
  workspaceId: string,
  id: string,
  body: BudgetChange,
  version: string | null,
): Promise<Budget> =>
  unwrap(
    apiFor(workspaceId).PATCH('/api/v1/budgets/{id}', {
      params: { path: { id }, ...ifMatch(version) },
      body,
    }),
  );

export const deleteBudget = (workspaceId: string, id: string) =>
  unwrap(apiFor(workspaceId).DELETE('/api/v1/budgets/{id}', { params: { path: { id } } }));
