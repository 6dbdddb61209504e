import { IconPencil, IconTrash } from '@tabler/icons-react';
import { deleteBudget } from '../../api/budgets.ts';
import type { Budget } from '../../api/types.ts';
import { t } from '../../copy/text.ts';
import type { ActionDefinition } from '../../patterns/actions/action.ts';
import { lazyDialog } from '../../patterns/lazy-dialogs.tsx';

export const BudgetDialog = lazyDialog(() => import('./BudgetDialog.tsx'), 'BudgetDialog');

export const BUDGET_ACTIONS: readonly ActionDefinition<Budget>[] = [
  {
    id: 'edit',
    label: () => t('Edit'),
    icon: IconPencil,
    scope: 'providers:write',
    primary: true,
    dialog: BudgetDialog,
  },
  {
    id: 'delete',
    label: () => t('Delete'),
    icon: IconTrash,
    danger: true,
    scope: 'providers:write',
    confirm: ({ id, name }) => ({
      title: t('Delete budget “{name}”?', { name }),
      text: t('Calls are no longer limited by it. Recorded usage is kept.'),
      button: t('Delete budget'),
      call: deleteBudget(id),
    }),
  },
];
