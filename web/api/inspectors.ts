/** Inspectors: test endpoints of this server, and their requests. */
import { queryOptions } from '@tanstack/react-query';
import { readQuery } from './read.ts';
import { get, send, post, patch, del, type BodyOf } from './call.ts';
import type { InspectorRequestSummary } from './types.ts';

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
      send(workspaceId, get('/inspectors', { query: { limit: PAGE } }), { signal }).then((list) => list.data),
    refetchInterval: LIST_MS,
  });

const pageOfRequests = (id: string, query: { after?: number; cursor?: string }) =>
  get('/inspectors/{id}/requests', { path: { id }, query: { limit: PAGE, ...query } });

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
        const fresh = await send(workspaceId, pageOfRequests(id, { after: highest }), { signal });
        if (!fresh.has_more)
          return fresh.data.length === 0 ? before : [...fresh.data, ...before].slice(0, KEPT);
      }
      const first = await send(workspaceId, pageOfRequests(id, {}), { signal });
      if (first.next_cursor === null) return first.data;
      const second = await send(workspaceId, pageOfRequests(id, { cursor: first.next_cursor }), { signal });
      return [...first.data, ...second.data].slice(0, KEPT);
    },
    refetchInterval: live ? POLL_MS : false,
    staleTime: 0,
  });

/** A request never changes. */
export const inspectorRequestQuery = (workspaceId: string, id: string, requestId: string) =>
  readQuery(
    ['ws', workspaceId, 'inspector-request', requestId],
    workspaceId,
    get('/inspectors/{id}/requests/{request_id}', { path: { id, request_id: requestId } }),
    { staleTime: Infinity },
  );

export const createInspector = (body: BodyOf<'post', '/inspectors'>) => post('/inspectors', { body });

export const updateInspector = (id: string, body: BodyOf<'patch', '/inspectors/{id}'>) =>
  patch('/inspectors/{id}', { path: { id }, body });

export const deleteInspector = (id: string) => del('/inspectors/{id}', { path: { id } });

export const clearInspector = (id: string) => del('/inspectors/{id}/requests', { path: { id } });
