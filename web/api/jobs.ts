/** Long work that was answered with 202. */
import { queryOptions } from '@tanstack/react-query';
import { apiFor, unwrap } from './client.ts';
import type { Job } from './types.ts';

const POLL_MS = 700;

export const isOver = ({ state }: Job): boolean => state !== 'queued' && state !== 'running';

/** A job, asked for again until it is over. */
export const jobQuery = (workspaceId: string, id: string) =>
  queryOptions({
    queryKey: ['ws', workspaceId, 'job', id],
    queryFn: ({ signal }) =>
      unwrap(apiFor(workspaceId).GET('/api/v1/jobs/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state: { data } }) => (data && isOver(data) ? false : POLL_MS),
  });
