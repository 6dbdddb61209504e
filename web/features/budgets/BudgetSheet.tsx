/** Details of one budget. */
import { Stack } from '@mantine/core';
import type { Budget } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { DescriptionList } from '../../design/DescriptionList.tsx';
import { Id } from '../../design/Id.tsx';
import { JsonView } from '../../design/JsonView.tsx';
import { TextLink } from '../../design/links.tsx';
import { RelativeTime } from '../../design/RelativeTime.tsx';
import type { Action } from '../../patterns/actions/action.ts';
import { ActionButtons } from '../../patterns/actions/ActionButtons.tsx';
import { AsCurl } from '../../patterns/AsCurl.tsx';
import { formatAmount, getLimit, RESERVATION_LABELS, WINDOW_LABELS } from './budget-text.ts';
import { BudgetBar } from './BudgetBar.tsx';
import { BudgetScope } from './BudgetScope.tsx';
import { ObjectName } from '../../patterns/ObjectName.tsx';

export function BudgetSheet({ budget, actions }: { budget: Budget; actions: readonly Action<Budget>[] }) {
  const { workspace } = useWorkspace();
  const { id, api_key_id: keyId } = budget;
  const { unit, amount } = getLimit(budget);
  return (
    <Stack>
      <ActionButtons record={budget} of={budget.name} actions={actions} size="xs" />
      <BudgetBar budget={budget} />
      <DescriptionList
        rows={[
          [t('ID'), <Id id={id} />],
          [t('Applies to'), <BudgetScope keyId={keyId} />],
          [t('Limit'), formatAmount(amount, unit)],
          [t('Window'), WINDOW_LABELS[budget.window]],
          unit === 'calls' ? null : [t('Reserve for each call'), RESERVATION_LABELS[budget.reservation]],
          [t('Used'), formatAmount(budget.used, unit)],
          [t('Reserved'), formatAmount(budget.reserved, unit)],
          [t('Left'), formatAmount(budget.remaining, unit)],
          [t('Resets'), <RelativeTime at={budget.resets_at} none={t('Never')} />],
          [t('Created'), <RelativeTime at={budget.created_at} />],
          budget.created_by === null ? null : [t('Created by'), <ObjectName id={budget.created_by} />],
        ]}
      />
      {Object.keys(budget.metadata).length > 0 && <JsonView value={budget.metadata} />}
      <TextLink
        to="/w/$workspace/model-usage"
        params={{ workspace: workspace.slug }}
        search={keyId === null ? {} : { key: keyId }}
      >
        {t('View usage')}
      </TextLink>
      <AsCurl call={{ method: 'GET', path: `/budgets/${id}` }} />
    </Stack>
  );
}
