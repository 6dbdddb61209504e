/** Runs a job of the channel as one call: it resolves when the job succeeds, and rejects with the channel's error. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { type ApiCall, send } from './call.ts';
import { useWorkspace } from './workspace-context.ts';
import { putGroup, refreshGroups } from './groups.ts';
import { getEnd } from './jobs.ts';
import type { Group, Job } from './types.ts';

/** The group as it was when the job had ended. */
export const getGroup = ({ result }: Job): Group | undefined =>
  (result?.['group'] ?? undefined) as Group | undefined;

interface Outcome {
  address: string;
  error: { code: string; detail: string } | null;
}

/** Returns the outcomes of a job over several participants. */
export const getOutcomes = ({ result }: Job): Outcome[] => (result?.['participants'] ?? []) as Outcome[];
export const getRefused = (job: Job): Outcome[] => getOutcomes(job).filter(({ error }) => error !== null);

/**
 * Waits for a job and updates its group.
 * @returns takes the response of the call. Rejects with an ApiProblem if the channel rejected it.
 */
export function useEndOf(): (asked: Job) => Promise<Job> {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  return useCallback(
    async (asked) => {
      const job = await getEnd(workspace.id, asked);
      const group = getGroup(job);
      if (group) putGroup(client, workspace.id, group);
      await refreshGroups(client, workspace.id, group?.id);
      return job;
    },
    [client, workspace.id],
  );
}

/** @param toCall returns the call that starts the job */
export function useAction<A>(toCall: (given: A) => ApiCall<Job>) {
  const { workspace } = useWorkspace();
  const end = useEndOf();
  return useMutation({ mutationFn: async (given: A) => end(await send(workspace.id, toCall(given))) });
}
