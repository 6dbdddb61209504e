/** Workspaces of the signed-in user, and the user's scopes in each. */
import { queryOptions } from '@tanstack/react-query';
import { readQuery } from './read.ts';
import { get, post, patch, del } from './call.ts';
import { allPages } from './list.ts';

export const workspacesQuery = queryOptions({
  queryKey: ['workspaces'],
  queryFn: ({ signal }) => allPages(null, get('/workspaces'), signal),
  staleTime: 60_000,
});

/** Gets the user's role in a workspace, with its scopes. */
export const meQuery = (workspaceId: string) =>
  readQuery(['ws', workspaceId, 'me'], workspaceId, get('/me'), {
    staleTime: 60_000,
  });

export const usageQuery = (workspaceId: string) =>
  readQuery(['ws', workspaceId, 'usage'], workspaceId, get('/usage'));

export const createWorkspace = (body: { name: string }) => post('/workspaces', { body });

export const updateWorkspace = (
  id: string,
  body: {
    name?: string;
    slug?: string;
    time_zone?: string;
    message_retention_days?: number | null;
    media_retention_days?: number | null;
    metadata?: Record<string, string>;
  },
) => patch('/workspaces/{id}', { path: { id }, body });

/** @param slug the workspace's slug, as typed by the user to confirm */
export const deleteWorkspace = (id: string, slug: string) =>
  del('/workspaces/{id}', { path: { id }, query: { slug } });
