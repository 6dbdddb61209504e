/** The dialogs of one budget. */
import { Text } from '@mantine/core';
import { deleteBudget } from '../../api/budgets.ts';
import type { Budget } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { ConfirmAction } from '../../patterns/ConfirmAction.tsx';
import { BudgetDialog } from './BudgetDialog.tsx';

export type BudgetAction = 'edit' | 'delete';

interface BudgetDialogsProps {
  budget: Budget;
  /** The dialog that is open; null for none. */
  action: BudgetAction | null;
  onClose: () => void;
  /** @param isGone whether the budget was deleted */
  onDone: (isGone: boolean) => void;
}

export function BudgetDialogs({ budget, action, onClose, onDone }: BudgetDialogsProps) {
  const { workspace } = useWorkspace();
  const { id, name } = budget;
  return (
    <>
      <BudgetDialog
        opened={action === 'edit'}
        budget={budget}
        onClose={onClose}
        onDone={() => onDone(false)}
      />
      <ConfirmAction
        opened={action === 'delete'}
        title={t('Delete budget “{name}”?', { name })}
        confirm={t('Delete budget')}
        call={{ method: 'DELETE', path: `/budgets/${id}` }}
        action={() => deleteBudget(workspace.id, id)}
        onDone={() => onDone(true)}
        onClose={onClose}
      >
        <Text>{t('Calls are no longer limited by it. Recorded usage is kept.')}</Text>
      </ConfirmAction>
    </>
  );
}
