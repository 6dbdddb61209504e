/** Usage of models: calls, tokens, cost and latency. */
import { queryOptions } from '@tanstack/react-query';
import { apiFor, unwrap } from './client.ts';
import { pathWith } from './download.ts';
import type { operations } from './schema.d.ts';

export type ModelUsageQuery = NonNullable<operations['usage.models']['parameters']['query']>;
export type UsageGroup = NonNullable<ModelUsageQuery['group_by']>;

/** How often usage is read again while it is looked at. */
const REFETCH_MS = 15_000;

export const modelUsageQuery = (workspaceId: string, query: ModelUsageQuery) =>
  queryOptions({
    queryKey: ['ws', workspaceId, 'model-usage', query],
    queryFn: ({ signal }) =>
      unwrap(apiFor(workspaceId).GET('/api/v1/usage/models', { params: { query }, signal })),
    refetchInterval: REFETCH_MS,
  });

export const modelUsagePath = (query: ModelUsageQuery): string => pathWith('/usage/models', query);
export const modelUsageExportPath = (query: ModelUsageQuery): string =>
  pathWith('/usage/models/export', query);
