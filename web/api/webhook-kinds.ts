/** Kinds of webhooks, and previews of their bodies. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { apiFor, unwrap } from './client.ts';
import type { operations } from './schema.d.ts';

type Preview = NonNullable<operations['webhooks.preview']['requestBody']>['content']['application/json'];

export const webhookKindsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['ws', workspaceId, 'webhook-kinds'],
    queryFn: ({ signal }) =>
      unwrap(apiFor(workspaceId).GET('/api/v1/webhook-kinds', { signal })).then((list) => list.data),
    staleTime: Infinity,
  });

/** Gets a kind with its default templates. */
export const webhookKindQuery = (workspaceId: string, kind: string) =>
  queryOptions({
    queryKey: ['ws', workspaceId, 'webhook-kinds', kind],
    queryFn: ({ signal }) =>
      unwrap(apiFor(workspaceId).GET('/api/v1/webhook-kinds/{kind}', { params: { path: { kind } }, signal })),
    staleTime: Infinity,
  });

/** Previews what would be sent. It changes nothing, so it can be repeated. */
export const webhookPreviewQuery = (workspaceId: string, preview: Preview) =>
  queryOptions({
    queryKey: ['ws', workspaceId, 'webhook-preview', preview],
    queryFn: ({ signal }) =>
      unwrap(apiFor(workspaceId).POST('/api/v1/webhooks/preview', { body: preview, signal })),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 60_000,
  });
