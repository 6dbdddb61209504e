/** Something that the channel is asked to do, as one call: answered once it is done, refused in the channel's words. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useWorkspace } from '../shell/workspace-context.ts';
import { putGroup, refreshGroups } from './groups.ts';
import { endOf } from './jobs.ts';
import type { Group, Job } from './types.ts';

/** The group as it was when the job had ended. */
export const groupOf = ({ result }: Job): Group | undefined =>
  (result?.['group'] ?? undefined) as Group | undefined;

interface Outcome {
  address: string;
  error: { code: string; detail: string } | null;
}

/** Of a job over several participants: what became of each. */
export const outcomesOf = ({ result }: Job): Outcome[] => (result?.['participants'] ?? []) as Outcome[];
export const refusedOf = (job: Job): Outcome[] => outcomesOf(job).filter(({ error }) => error !== null);

/**
 * Waits for what was asked, and shows the group as it then is.
 * @returns to be given the answer of the call. It rejects with an ApiProblem where the channel refused.
 */
export function useEndOf(): (asked: Job) => Promise<Job> {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  return useCallback(
    async (asked) => {
      const job = await endOf(workspace.id, asked);
      const group = groupOf(job);
      if (group) putGroup(client, workspace.id, group);
      await refreshGroups(client, workspace.id, group?.id);
      return job;
    },
    [client, workspace.id],
  );
}

/** @param ask asks for it, of what is given with each call */
export function useAction<A>(ask: (given: A) => Promise<Job>) {
  const end = useEndOf();
  return useMutation({ mutationFn: async (given: A) => end(await ask(given)) });
}
