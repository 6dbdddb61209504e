/** Long work that was answered with 202. */
import { readQuery } from './read.ts';
import { get, send } from './call.ts';
import { t } from '../copy/text.ts';
import { ApiProblem } from './problem.ts';
import type { Job } from './types.ts';

const POLL_MS = 700;

export const isOver = ({ state }: Job): boolean => state !== 'queued' && state !== 'running';

/** Gets a job. Polls until it is completed. */
export const jobQuery = (workspaceId: string, id: string) =>
  readQuery(['ws', workspaceId, 'job', id], workspaceId, get('/jobs/{id}', { path: { id } }), {
    refetchInterval: ({ state: { data } }) => (data && isOver(data) ? false : POLL_MS),
  });

/** Delays in ms between polls of a job that the user waits for. The last one repeats. */
const LOOKS_MS = [120, 200, 300, 500, 700, 1000, 2000];

const sentence = (code: string): string => {
  const words = code.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** Returns why a completed job did nothing, as an error of the call that started it. */
const getRefusal = ({ id, state, error }: Job): ApiProblem =>
  new ApiProblem({
    status: 422,
    code: error?.code ?? state,
    title: error ? sentence(error.code) : t('Not completed'),
    detail: error?.detail ?? `The job was ${state}.`,
    requestId: id,
  });

/**
 * Waits for a job to succeed.
 * @throws ApiProblem with the job's error if it failed; any error of reading it
 */
export async function getEnd(workspaceId: string, job: Job): Promise<Job> {
  let seen = job;
  for (let looks = 0; !isOver(seen); looks++) {
    const wait = LOOKS_MS[Math.min(looks, LOOKS_MS.length - 1)];
    await new Promise((resolve) => setTimeout(resolve, wait));
    seen = await send(workspaceId, get('/jobs/{id}', { path: { id: job.id } }));
  }
  if (seen.state !== 'succeeded') throw getRefusal(seen);
  return seen;
}
