import { useQuery } from '@tanstack/react-query';
import { waitingQuery } from '../../api/publications.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { formatNumber, plural, t } from '../../copy/text.ts';

/** States how many scheduled publications are canceled. */
export function ScheduledCount({ endpointId }: { endpointId: string }) {
  const { workspace } = useWorkspace();
  const { data } = useQuery(waitingQuery(workspace.id, endpointId));
  if (!data) return t('Scheduled publications will be canceled.');
  const count = data.data.length;
  if (count === 0) return null;
  return (
    <strong>
      {data.has_more
        ? t('More than {count} scheduled publications will be canceled.', { count: formatNumber(count) })
        : plural(count, {
            one: '{count} scheduled publication will be canceled.',
            other: '{count} scheduled publications will be canceled.',
          })}
    </strong>
  );
}
