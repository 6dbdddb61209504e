/** Workspaces of the signed-in user, and the user's scopes in each. */
import { queryOptions } from '@tanstack/react-query';
import { api, apiFor, unwrap } from './client.ts';
import { ifMatch } from './edit.ts';
import { allPages } from './list.ts';

export const workspacesQuery = queryOptions({
  queryKey: ['workspaces'],
  queryFn: ({ signal }) =>
    allPages((page) => unwrap(api.GET('/api/v1/workspaces', { params: { query: page }, signal }))),
  staleTime: 60_000,
});

/** Gets the user's role in a workspace, with its scopes. */
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
    time_zone?: string;
    message_retention_days?: number | null;
    media_retention_days?: number | null;
    metadata?: Record<string, string>;
  },
  version: string | null,
) =>
  unwrap(
    apiFor(id).PATCH('/api/v1/workspaces/{id}', { params: { path: { id }, ...ifMatch(version) }, body }),
  );

/** @param slug the workspace's own, typed by the person who deletes it */
export const deleteWorkspace = (id: string, slug: string) =>
  unwrap(apiFor(id).DELETE('/api/v1/workspaces/{id}', { params: { path: { id }, query: { slug } } }));
