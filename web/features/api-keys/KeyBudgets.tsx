/** Shows the remaining budgets of an API key. */
import { Stack } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { budgetsQuery } from '../../api/budgets.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { t } from '../../copy/text.ts';
import { TextLink } from '../../design/links.tsx';
import { formatAmount, formatUsed, getLimit, WINDOW_LABELS } from '../budgets/budget-text.ts';

export function KeyBudgets({ keyId }: { keyId: string }) {
  const { workspace } = useWorkspace();
  const { data } = useInfiniteQuery(budgetsQuery(workspace.id, { api_key_id: keyId }));
  if (!data) return null;
  if (!data.length) return t('None');
  return (
    <Stack gap={4}>
      {data.map((budget) => (
        <span key={budget.id}>
          <TextLink
            to="/w/$workspace/budgets"
            params={{ workspace: workspace.slug }}
            search={{ id: budget.id }}
          >
            {budget.name}
          </TextLink>{' '}
          {t('{used} used, {left} left', {
            used: formatUsed(budget.used, getLimit(budget)),
            left: formatAmount(budget.remaining, getLimit(budget).unit),
          })}{' '}
          ({WINDOW_LABELS[budget.window]})
        </span>
      ))}
    </Stack>
  );
}
