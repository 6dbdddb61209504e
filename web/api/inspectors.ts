/** Inspectors: test endpoints of this server, and their requests. */
import { queryOptions } from '@tanstack/react-query';
import { apiFor, unwrap } from './client.ts';
import { ifMatch } from './edit.ts';
import type { operations } from './schema.d.ts';
import type { InspectorRequestSummary } from './types.ts';

type NewInspector = NonNullable<
  operations['inspectors.create']['requestBody']
>['content']['application/json'];
type InspectorChange = NonNullable<
  operations['inspectors.update']['requestBody']
>['content']['application/json'];

/** Polling intervals while the page is visible. */
const POLL_MS = 1000;
const LIST_MS = 5000;
/** The most that a page of the API holds; an inspector keeps twice as many. */
const PAGE = 100;
const KEPT = 200;

const inspectorsKey = (workspaceId: string) => ['ws', workspaceId, 'inspectors'] as const;

/** All of them: a workspace has at most 20. */
export const inspectorsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: inspectorsKey(workspaceId),
    queryFn: ({ signal }) =>
      unwrap(
        apiFor(workspaceId).GET('/api/v1/inspectors', { params: { query: { limit: PAGE } }, signal }),
      ).then((list) => list.data),
    refetchInterval: LIST_MS,
  });

const pageOfRequests = (
  workspaceId: string,
  id: string,
  query: { after?: number; cursor?: string },
  signal?: AbortSignal,
) =>
  unwrap(
    apiFor(workspaceId).GET('/api/v1/inspectors/{id}/requests', {
      params: { path: { id }, query: { limit: PAGE, ...query } },
      ...(signal && { signal }),
    }),
  );

export const inspectorRequestsKey = (workspaceId: string, id: string) =>
  ['ws', workspaceId, 'inspector-requests', id] as const;

/**
 * Gets all requests of an inspector, newest first. While the page is visible, polls every second for new ones.
 * Stops while the page is hidden.
 */
export const inspectorRequestsQuery = (workspaceId: string, id: string, live: boolean) =>
  queryOptions({
    queryKey: inspectorRequestsKey(workspaceId, id),
    queryFn: async ({ client, queryKey, signal }): Promise<InspectorRequestSummary[]> => {
      const before = client.getQueryData<InspectorRequestSummary[]>(queryKey);
      const highest = before?.[0]?.number;
      if (before && highest !== undefined) {
        const fresh = await pageOfRequests(workspaceId, id, { after: highest }, signal);
        if (!fresh.has_more)
          return fresh.data.length === 0 ? before : [...fresh.data, ...before].slice(0, KEPT);
      }
      const first = await pageOfRequests(workspaceId, id, {}, signal);
      if (first.next_cursor === null) return first.data;
      const second = await pageOfRequests(workspaceId, id, { cursor: first.next_cursor }, signal);
      return [...first.data, ...second.data].slice(0, KEPT);
    },
    refetchInterval: live ? POLL_MS : false,
    staleTime: 0,
  });

/** A request never changes. */
export const inspectorRequestQuery = (workspaceId: string, id: string, requestId: string) =>
  queryOptions({
    queryKey: ['ws', workspaceId, 'inspector-request', requestId],
    queryFn: ({ signal }) =>
      unwrap(
        apiFor(workspaceId).GET('/api/v1/inspectors/{id}/requests/{request_id}', {
          params: { path: { id, request_id: requestId } },
          signal,
        }),
      ),
    staleTime: Infinity,
  });

export const createInspector = (workspaceId: string, body: NewInspector) =>
  unwrap(apiFor(workspaceId).POST('/api/v1/inspectors', { body }));

/** @param version the ETag that was read; null overwrites whatever there is */
export const updateInspector = (
  workspaceId: string,
  id: string,
  body: InspectorChange,
  version: string | null = null,
) =>
  unwrap(
    apiFor(workspaceId).PATCH('/api/v1/inspectors/{id}', {
      params: { path: { id }, ...ifMatch(version) },
      body,
    }),
  );

export const deleteInspector = (workspaceId: string, id: string) =>
  unwrap(apiFor(workspaceId).DELETE('/api/v1/inspectors/{id}', { params: { path: { id } } }));

export const clearInspector = (workspaceId: string, id: string) =>
  unwrap(apiFor(workspaceId).DELETE('/api/v1/inspectors/{id}/requests', { params: { path: { id } } }));
