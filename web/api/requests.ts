/** The log of API requests, and their counts. */
import { queryOptions } from '@tanstack/react-query';
import { readQuery } from './read.ts';
import { type FilterOf, get, send } from './call.ts';
import { listQuery } from './list.ts';

export type RequestFilter = FilterOf<'/requests'>;
export type RequestUsageFilter = FilterOf<'/usage/requests'>;
export type ActivityRange = FilterOf<'/usage/activity'>;

export const requestsQuery = (workspaceId: string, filter: RequestFilter) =>
  listQuery(['ws', workspaceId, 'requests', filter], workspaceId, get('/requests', { query: filter }));

export const requestQuery = (workspaceId: string, id: string) =>
  readQuery(['ws', workspaceId, 'request', id], workspaceId, get('/requests/{id}', { path: { id } }));

export const requestUsageQuery = (workspaceId: string, query: RequestUsageFilter) =>
  readQuery(['ws', workspaceId, 'request-usage', query], workspaceId, get('/usage/requests', { query }));

/** Messages, clicks, deliveries and requests over time. */
export const activityQuery = (workspaceId: string, query: ActivityRange) =>
  readQuery(['ws', workspaceId, 'activity', query], workspaceId, get('/usage/activity', { query }));

const MAX_OPERATIONS = 1000;

/** Gets the operations of the last 7 days whose name contains a text, as options of a filter. */
export const operationOptionsQuery = (workspaceId: string, search: string) => ({
  queryKey: ['ws', workspaceId, 'operation-options', search],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const query = { group_by: 'operation', limit: MAX_OPERATIONS } as const;
    const { data } = await send(workspaceId, get('/usage/requests', { query }), { signal });
    return data
      .map(({ value }) => value ?? '')
      .filter((operation) => operation.includes(search.toLowerCase()))
      .toSorted()
      .map((operation) => ({ value: operation, label: operation }));
  },
});

const RECENT_MS = 10_000;
const MAX_RECENT = 8;

/** The newest failed requests of API keys since a time. The console shows people the errors of their own requests. */
export const failedRequestsQuery = (workspaceId: string, after: string) =>
  queryOptions({
    queryKey: ['ws', workspaceId, 'failed-requests', after],
    queryFn: async ({ signal }) => {
      const query = { errors: true, actor_type: 'api_key' as const, created_after: after, limit: MAX_RECENT };
      return (await send(workspaceId, get('/requests', { query }), { signal })).data;
    },
    refetchInterval: RECENT_MS,
  });
