/** Lists the budgets of the workspace with their remaining amounts. */
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconWallet } from '@tabler/icons-react';
import { budgetQuery, budgetsKey, budgetsQuery } from '../../api/budgets.ts';
import type { Budget } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import { lazily } from '../../patterns/lazily.ts';
import { ListPage } from '../../patterns/list/ListPage.tsx';
import { EmptyList } from '../../patterns/ListStates.tsx';
import type { Column } from '../../patterns/table/column.ts';
import { apiKeyFilter } from '../../patterns/list/key-filter.ts';
import { WINDOW_LABELS } from './budget-text.ts';
import { BudgetBar } from './BudgetBar.tsx';
import { BudgetScope } from './BudgetScope.tsx';
import { BUDGET_ACTIONS, BudgetDialog } from './budget-actions.ts';
import classes from './budgets.module.css';

const BudgetSheet = lazily(() => import('./BudgetSheet.tsx'), 'BudgetSheet');

const route = getRouteApi('/w/$workspace/budgets');

const FIRST_BUDGET = {
  method: 'POST',
  path: '/budgets',
  body: { name: 'Support bot', limit: { usd: 50 }, window: 'month' },
} as const;

const COLUMNS: Column<Budget>[] = [
  {
    key: 'name',
    title: t('Budget'),
    fixed: true,
    render: ({ name }) => <div className={classes.name}>{name}</div>,
  },
  { key: 'use', title: t('Used'), render: (budget) => <BudgetBar budget={budget} /> },
  {
    key: 'scope',
    title: t('Applies to'),
    from: 'medium',
    render: ({ api_key_id: id }) => <BudgetScope keyId={id} />,
  },
  {
    key: 'window',
    title: t('Window'),
    from: 'wide',
    render: ({ window }) => WINDOW_LABELS[window],
  },
  {
    key: 'resets_at',
    title: t('Resets'),
    from: 'medium',
    render: ({ resets_at: at }) => <RelativeTime at={at} none={t('Never')} />,
  },
];

export function Budgets() {
  const { workspace } = useWorkspace();
  const { q, key } = route.useSearch();
  const client = useQueryClient();
  const readsKeys = useCan('api_keys:read');
  return (
    <ListPage
      name="budgets"
      title={t('Budgets')}
      description={t(
        'Limits on the cost, tokens or calls of your models. Calls beyond a budget are rejected.',
      )}
      search={t('Search by name')}
      filters={readsKeys ? [apiKeyFilter(workspace.id)] : []}
      list={useInfiniteQuery(budgetsQuery(workspace.id, { search: q, api_key_id: key }))}
      columns={COLUMNS}
      rowLabel={({ name }) => name}
      actions={BUDGET_ACTIONS}
      create={{ label: t('Create budget'), scope: 'providers:write', dialog: BudgetDialog }}
      single={(id) => budgetQuery(workspace.id, id)}
      sheet={(budget, actions) => <BudgetSheet key={budget.id} budget={budget} actions={actions} />}
      refresh={() => client.invalidateQueries({ queryKey: budgetsKey(workspace.id) })}
      empty={
        <EmptyList icon={IconWallet} title={t('No budgets yet')} call={FIRST_BUDGET}>
          {t(
            'A budget limits what model calls of the workspace or of one API key may use per day, per month or in total. Parallel calls never exceed it.',
          )}
        </EmptyList>
      }
    />
  );
}
