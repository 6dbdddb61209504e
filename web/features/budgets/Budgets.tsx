/** The budgets of the workspace, with what is left of each. */
import { Button } from '@mantine/core';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { IconPencil, IconPlus, IconTrash, IconWallet } from '@tabler/icons-react';
import { useState } from 'react';
import { budgetQuery, budgetsKey, budgetsQuery } from '../../api/budgets.ts';
import type { Budget } from '../../api/types.ts';
import { useCan, useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import type { Action } from '../../patterns/actions/action.ts';
import { OnceOpened } from '../../patterns/lazy-dialogs.tsx';
import { lazily } from '../../patterns/lazily.ts';
import { ResourceList } from '../../patterns/list/ResourceList.tsx';
import { EmptyList } from '../../patterns/ListStates.tsx';
import { RecordSheet } from '../../patterns/RecordSheet.tsx';
import type { Column } from '../../patterns/table/column.ts';
import { sheetLink } from '../../patterns/table/sheet-link.ts';
import { apiKeyFilter } from '../../patterns/list/key-filter.ts';
import { WINDOW_LABELS } from './budget-text.ts';
import { BudgetBar } from './BudgetBar.tsx';
import { BudgetScope } from './BudgetScope.tsx';
import type { BudgetAction } from './BudgetDialogs.tsx';
import classes from './budgets.module.css';

const BudgetDialog = lazily(() => import('./BudgetDialog.tsx'), 'BudgetDialog');
const BudgetDialogs = lazily(() => import('./BudgetDialogs.tsx'), 'BudgetDialogs');
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
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const readsKeys = useCan('api_keys:read');
  const list = useInfiniteQuery(
    budgetsQuery(workspace.id, {
      ...(search.q !== undefined && { search: search.q }),
      ...(search.key !== undefined && { api_key_id: search.key }),
    }),
  );
  const [acting, setActing] = useState<{ budget: Budget; action: BudgetAction | null } | null>(null);
  const refresh = () => void client.invalidateQueries({ queryKey: budgetsKey(workspace.id) });
  const go = (change: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const actions: Action<Budget>[] = [
    {
      id: 'edit',
      label: () => t('Edit'),
      icon: IconPencil,
      scope: 'providers:write',
      primary: true,
      run: (budget) => setActing({ budget, action: 'edit' }),
    },
    {
      id: 'delete',
      label: () => t('Delete'),
      icon: IconTrash,
      danger: true,
      scope: 'providers:write',
      run: (budget) => setActing({ budget, action: 'delete' }),
    },
  ];
  const create = useCan('providers:write') && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => go({ create: true })}>
      {t('Create budget')}
    </Button>
  );
  return (
    <>
      <ResourceList
        name="budgets"
        title={t('Budgets')}
        description={t(
          'Limits on the cost, tokens or calls of your models. Calls beyond a budget are rejected.',
        )}
        buttons={create}
        search={t('Search by name')}
        filters={readsKeys ? [apiKeyFilter(workspace.id)] : []}
        list={list}
        columns={COLUMNS}
        selected={search.id}
        link={sheetLink()}
        rowLabel={({ name }) => name}
        actions={actions}
        empty={
          <EmptyList icon={IconWallet} title={t('No budgets yet')} call={FIRST_BUDGET}>
            {t(
              'A budget limits what model calls of the workspace or of one API key may use per day, per month or in total. Parallel calls never exceed it.',
            )}
          </EmptyList>
        }
      />
      <RecordSheet
        rows={list.data}
        single={(id) => budgetQuery(workspace.id, id)}
        title={({ name }) => name}
        busy={(acting?.action ?? null) !== null || search.create === true}
      >
        {(budget) => <BudgetSheet key={budget.id} budget={budget} actions={actions} />}
      </RecordSheet>
      <OnceOpened opened={acting !== null}>
        {acting && (
          <BudgetDialogs
            key={acting.budget.id}
            budget={acting.budget}
            action={acting.action}
            onClose={() => setActing({ ...acting, action: null })}
            onDone={(isGone) => {
              setActing({ ...acting, action: null });
              refresh();
              if (isGone && search.id === acting.budget.id) go({ id: undefined });
            }}
          />
        )}
      </OnceOpened>
      <OnceOpened opened={search.create === true}>
        <BudgetDialog
          opened={search.create === true}
          budget={null}
          onClose={() => go({ create: undefined })}
          onDone={({ id }) => {
            refresh();
            go({ create: undefined, id });
          }}
        />
      </OnceOpened>
    </>
  );
}
