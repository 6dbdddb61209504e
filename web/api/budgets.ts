/** Budgets of model calls. */
import { readQuery } from './read.ts';
import { get, post, patch, del, type BodyOf, type FilterOf } from './call.ts';
import { listQuery } from './list.ts';

export type NewBudget = BodyOf<'post', '/budgets'>;
export type BudgetChange = BodyOf<'patch', '/budgets/{id}'>;
export type BudgetFilter = FilterOf<'/budgets'>;

/** How often the list is polled: use of a budget emits no event. */
const LIST_MS = 5_000;

export const budgetsKey = (workspaceId: string) => ['ws', workspaceId, 'budgets'] as const;

export const budgetsQuery = (workspaceId: string, filter: BudgetFilter = {}) => ({
  ...listQuery([...budgetsKey(workspaceId), 'list', filter], workspaceId, get('/budgets', { query: filter })),
  // Not once further pages are loaded, which would all be read again.
  refetchInterval: ({ state: { data } }: { state: { data?: { pages: unknown[] } | undefined } }) =>
    (data?.pages.length ?? 0) <= 1 ? LIST_MS : (false as const),
});

export const budgetQuery = (workspaceId: string, id: string) =>
  readQuery([...budgetsKey(workspaceId), 'one', id], workspaceId, get('/budgets/{id}', { path: { id } }));

export const createBudget = (body: NewBudget) => post('/budgets', { body });

export const updateBudget = (id: string, body: BudgetChange) =>
  patch('/budgets/{id}', { path: { id }, body });

export const deleteBudget = (id: string) => del('/budgets/{id}', { path: { id } });
