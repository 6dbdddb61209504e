/** How far a replay is, and what came of it. */
import { useQueryClient } from '@tanstack/react-query';
import { deliveriesKey } from '../../api/deliveries.ts';
import type { Job } from '../../api/types.ts';
import { webhookHealthQuery } from '../../api/webhooks.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { JobProgress } from '../../ui/JobProgress.tsx';

const count = new Intl.NumberFormat('en');

const deliveries = (number: number): string =>
  number === 1 ? '1 delivery' : `${count.format(number)} deliveries`;

function saidOf({ state, progress, result, error }: Job): string {
  const skipped = Number(result?.['skipped'] ?? 0);
  const past = skipped > 0 ? ` ${count.format(skipped)} could not be sent again.` : '';
  if (state === 'queued') return 'The replay begins in a moment.';
  if (state === 'running') return `Replaying: ${deliveries(progress.done)} so far.`;
  if (state === 'succeeded') return `Replayed ${deliveries(progress.done)}.${past}`;
  return `The replay ended after ${deliveries(progress.done)}: ${error?.detail ?? state}`;
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
      what="replay"
      said={saidOf}
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
