/** Workspaces of the signed-in person, and what that person may do in one. */
import { queryOptions } from '@tanstack/react-query';
import { api, apiFor, unwrap } from './client.ts';

export const workspacesQuery = queryOptions({
  queryKey: ['workspaces'],
  queryFn: ({ signal }) =>
    unwrap(api.GET('/api/v1/workspaces', { params: { query: { limit: 100 } }, signal })).then(
      (list) => list.data,
    ),
  staleTime: 60_000,
});

/** Who the API says one is in a workspace, with the scopes of one's role. */
export const meQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['ws', workspaceId, 'me'],
    queryFn: ({ signal }) => unwrap(apiFor(workspaceId).GET('/api/v1/me', { signal })),
    staleTime: 60_000,
  });

export const usageQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['ws', workspaceId, 'usage'],
    queryFn: ({ signal }) => unwrap(apiFor(workspaceId).GET('/api/v1/usage', { signal })),
  });

export const createWorkspace = (body: { name: string }) => unwrap(api.POST('/api/v1/workspaces', { body }));

export const updateWorkspace = (
  id: string,
  body: {
    name?: string;
    slug?: string;
    message_retention_days?: number | null;
    media_retention_days?: number | null;
  },
) => unwrap(apiFor(id).PATCH('/api/v1/workspaces/{id}', { params: { path: { id } }, body }));

/** @param slug the workspace's own, typed by the person who deletes it */
export const deleteWorkspace = (id: string, slug: string) =>
  unwrap(apiFor(id).DELETE('/api/v1/workspaces/{id}', { params: { path: { id }, query: { slug } } }));
