/** Usage of models: calls, tokens, cost and latency. */
import { readQuery } from './read.ts';
import { get, pathWith } from './call.ts';
import type { operations } from './schema.d.ts';

export type ModelUsageQuery = NonNullable<operations['usage.models']['parameters']['query']>;
export type UsageGroup = NonNullable<ModelUsageQuery['group_by']>;

/** How often usage is read again while it is looked at. */
const REFETCH_MS = 15_000;

export const modelUsageQuery = (workspaceId: string, query: ModelUsageQuery) =>
  readQuery(['ws', workspaceId, 'model-usage', query], workspaceId, get('/usage/models', { query }), {
    refetchInterval: REFETCH_MS,
  });

export const modelUsagePath = (query: ModelUsageQuery): string => pathWith('/usage/models', query);
export const modelUsageExportPath = (query: ModelUsageQuery): string =>
  pathWith('/usage/models/export', query);
