/** The progress and the result of a replay job. */
import { useQueryClient } from '@tanstack/react-query';
import { plural, t } from '../../copy/text.ts';
import { deliveriesKey } from '../../api/deliveries.ts';
import type { Job } from '../../api/types.ts';
import { webhookHealthQuery } from '../../api/webhooks.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { JobProgress } from '../../patterns/JobProgress.tsx';

function describeReplay({ state, progress, result, error }: Job): string {
  const { done } = progress;
  const skipped = Number(result?.['skipped'] ?? 0);
  if (state === 'queued') return t('The replay starts shortly.');
  if (state === 'running')
    return plural(done, {
      one: 'Replayed {count} delivery so far.',
      other: 'Replayed {count} deliveries so far.',
    });
  if (state === 'succeeded')
    return [
      plural(done, { one: 'Replayed {count} delivery.', other: 'Replayed {count} deliveries.' }),
      skipped > 0 &&
        plural(skipped, { one: '{count} could not be replayed.', other: '{count} could not be replayed.' }),
    ]
      .filter(Boolean)
      .join(' ');
  return plural(
    done,
    {
      one: 'The replay stopped after {count} delivery: {reason}',
      other: 'The replay stopped after {count} deliveries: {reason}',
    },
    { reason: error?.detail ?? state },
  );
}

interface ReplayProgressProps {
  webhookId: string;
  jobId: string;
  onClose: () => void;
}

export function ReplayProgress({ webhookId, jobId, onClose }: ReplayProgressProps) {
  const { workspace } = useWorkspace();
  const queryClient = useQueryClient();
  return (
    <JobProgress
      jobId={jobId}
      what={t('replay')}
      said={describeReplay}
      onOver={() => {
        void queryClient.invalidateQueries({ queryKey: deliveriesKey(workspace.id, webhookId) });
        void queryClient.invalidateQueries({
          queryKey: webhookHealthQuery(workspace.id, webhookId).queryKey,
        });
      }}
      onClose={onClose}
    />
  );
}
