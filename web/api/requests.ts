/** The log of API requests, and their counts. */
import { queryOptions } from '@tanstack/react-query';
import { apiFor, unwrap } from './client.ts';
import { listQuery } from './list.ts';
import type { operations } from './schema.d.ts';

type Query<Id extends keyof operations> = operations[Id] extends { parameters: { query?: infer Q } }
  ? NonNullable<Q>
  : never;

export type RequestFilter = Omit<Query<'requests.list'>, 'limit' | 'cursor'>;
export type RequestUsageFilter = Query<'usage.requests'>;
export type ActivityRange = Query<'usage.activity'>;

export const requestsQuery = (workspaceId: string, filter: RequestFilter) =>
  listQuery(['ws', workspaceId, 'requests', filter], (page, signal) =>
    unwrap(
      apiFor(workspaceId).GET('/api/v1/requests', { params: { query: { ...page, ...filter } }, signal }),
    ),
  );

export const requestQuery = (workspaceId: string, id: string) =>
  queryOptions({
    queryKey: ['ws', workspaceId, 'request', id],
    queryFn: ({ signal }) =>
      unwrap(apiFor(workspaceId).GET('/api/v1/requests/{id}', { params: { path: { id } }, signal })),
  });

export const requestUsageQuery = (workspaceId: string, query: RequestUsageFilter) =>
  queryOptions({
    queryKey: ['ws', workspaceId, 'request-usage', query],
    queryFn: ({ signal }) =>
      unwrap(apiFor(workspaceId).GET('/api/v1/usage/requests', { params: { query }, signal })),
  });

/** Messages, clicks, deliveries and requests over time. */
export const activityQuery = (workspaceId: string, query: ActivityRange) =>
  queryOptions({
    queryKey: ['ws', workspaceId, 'activity', query],
    queryFn: ({ signal }) =>
      unwrap(apiFor(workspaceId).GET('/api/v1/usage/activity', { params: { query }, signal })),
  });

const MAX_OPERATIONS = 1000;

/** The operations of the last 7 days whose name contains a text, as options of a filter. */
export const operationOptionsQuery = (workspaceId: string, search: string) => ({
  queryKey: ['ws', workspaceId, 'operation-options', search],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const query = { group_by: 'operation', limit: MAX_OPERATIONS } as const;
    const { data } = await unwrap(
      apiFor(workspaceId).GET('/api/v1/usage/requests', { params: { query }, signal }),
    );
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
      return (await unwrap(apiFor(workspaceId).GET('/api/v1/requests', { params: { query }, signal }))).data;
    },
    refetchInterval: RECENT_MS,
  });
