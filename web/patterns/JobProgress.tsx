/**
 * Shows the progress and result of a job, which continues when the page is left. Lazily loaded, because few pages show
 * one.
 */
import { Alert, CloseButton, Group, Progress, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { t } from '../copy/text.ts';
import { isOver, jobQuery } from '../api/jobs.ts';
import { ApiProblem } from '../api/problem.ts';
import type { Job } from '../api/types.ts';
import { useWorkspace } from '../api/workspace-context.ts';
import { Id } from '../design/Id.tsx';
import { ProblemAlert } from './ProblemAlert.tsx';
import classes from '../design/ui.module.css';

interface JobProgressProps {
  jobId: string;
  /** The kind of work, for labels: "import". */
  what: string;
  /** Describes the job's current state in a sentence. */
  said: (job: Job) => string;
  /** Whether something in one that succeeded is to be looked at. */
  isBad?: (job: Job) => boolean;
  /** Called when the job has ended, to read changed data again. */
  onOver: () => void;
  /** Called when the user dismisses it, or the job no longer exists. */
  onClose: () => void;
  /** Further things to say, below. */
  children?: (job: Job) => React.ReactNode;
}

export function JobProgress({ jobId, what, said, isBad, onOver, onClose, children }: JobProgressProps) {
  const { workspace } = useWorkspace();
  const { data: job, error } = useQuery(jobQuery(workspace.id, jobId));
  const over = job !== undefined && isOver(job);
  const gone = error instanceof ApiProblem && error.status === 404;
  const tellOver = useEffectEvent(onOver);
  const tellGone = useEffectEvent(onClose);
  useEffect(() => {
    if (over) tellOver();
  }, [over]);
  useEffect(() => {
    if (gone) tellGone();
  }, [gone]);
  if (!job) return error && !gone ? <ProblemAlert error={error} /> : null;
  const { done, total } = job.progress;
  const bad = over && (job.state !== 'succeeded' || (isBad?.(job) ?? false));
  return (
    <Alert
      color={bad ? 'red' : 'sea'}
      variant="light"
      mb="md"
      flex="none"
      className={bad ? classes.problem : classes.notice}
    >
      <Group wrap="nowrap" align="flex-start" justify="space-between">
        <div role="status">
          <Text>{said(job)}</Text>
          <Text size="xs" c="dimmed" component="div">
            <Id id={job.id} of={t('job ID')} />
          </Text>
        </div>
        {over && <CloseButton size="sm" aria-label={t('Dismiss {what}', { what })} onClick={onClose} />}
      </Group>
      {!over && (
        <Progress
          mt={8}
          size="sm"
          value={total ? (done / total) * 100 : 100}
          animated={!total}
          aria-label={t('Progress: {what}', { what })}
        />
      )}
      {children?.(job)}
    </Alert>
  );
}
