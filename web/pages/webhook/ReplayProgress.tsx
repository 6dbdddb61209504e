/** How far a replay is, and what came of it. It goes on when the page is left. */
import { Alert, CloseButton, Group, Progress, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { deliveriesKey } from '../../api/deliveries.ts';
import { isOver, jobQuery } from '../../api/jobs.ts';
import { ApiProblem } from '../../api/problem.ts';
import type { Job } from '../../api/types.ts';
import { webhookHealthQuery } from '../../api/webhooks.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { Id } from '../../ui/Id.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import classes from './webhook.module.css';

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
  const { data: job, error } = useQuery(jobQuery(workspace.id, jobId));
  const over = job !== undefined && isOver(job);
  const gone = error instanceof ApiProblem && error.status === 404;
  useEffect(() => {
    if (gone) onClose();
  }, [gone, onClose]);
  useEffect(() => {
    if (!over) return;
    void queryClient.invalidateQueries({ queryKey: deliveriesKey(workspace.id, webhookId) });
    void queryClient.invalidateQueries({ queryKey: webhookHealthQuery(workspace.id, webhookId).queryKey });
  }, [over, queryClient, workspace.id, webhookId]);
  if (!job) return error && !gone ? <ProblemAlert error={error} /> : null;
  const { done, total } = job.progress;
  const failed = over && job.state !== 'succeeded';
  return (
    <Alert
      color={failed ? 'red' : 'sea'}
      variant="light"
      mb="md"
      className={failed ? classes.noticeBad : classes.notice}
    >
      <Group wrap="nowrap" align="flex-start" justify="space-between">
        <div role="status">
          <Text>{saidOf(job)}</Text>
          <Text size="xs" c="dimmed" component="div">
            <Id id={job.id} of="id of the job" />
          </Text>
        </div>
        {over && <CloseButton size="sm" aria-label="Dismiss the replay" onClick={onClose} />}
      </Group>
      {!over && (
        <Progress
          mt={8}
          size="sm"
          value={total ? (done / total) * 100 : 100}
          animated={!total}
          aria-label="Progress of the replay"
        />
      )}
    </Alert>
  );
}
