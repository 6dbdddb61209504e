/** Budgets of model calls. */
import { readQuery } from './read.ts';
import { get, post, patch, del, type BodyOf, type FilterOf } from './call.ts';
import { listQuery, pollFirstPage } from './list.ts';

export type NewBudget = BodyOf<'post', '/budgets'>;
export type BudgetChange = BodyOf<'patch', '/budgets/{id}'>;

/** How often the list is polled: use of a budget emits no event. */
const LIST_MS = 5_000;

export const budgetsKey = (workspaceId: string) => ['ws', workspaceId, 'budgets'] as const;

export const budgetsQuery = (workspaceId: string, filter: FilterOf<'/budgets'> = {}) => ({
  ...listQuery([...budgetsKey(workspaceId), 'list', filter], workspaceId, get('/budgets', { query: filter })),
  refetchInterval: pollFirstPage(LIST_MS),
});

export const budgetQuery = (workspaceId: string, id: string) =>
  readQuery([...budgetsKey(workspaceId), 'one', id], workspaceId, get('/budgets/{id}', { path: { id } }));

export const createBudget = (body: NewBudget) => post('/budgets', { body });

export const updateBudget = (id: string, body: BudgetChange) =>
  patch('/budgets/{id}', { path: { id }, body });

export const deleteBudget = (id: string) => del('/budgets/{id}', { path: { id } });
