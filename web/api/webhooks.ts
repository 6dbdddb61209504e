/** Webhooks, their health, and the queue of deliveries. A secret is in the answer that makes it and nowhere else. */
import { queryOptions } from '@tanstack/react-query';
import { apiFor, unwrap } from './client.ts';
import { listQuery } from './list.ts';
import type { operations } from './schema.d.ts';

export type NewWebhook = operations['webhooks.create']['requestBody']['content']['application/json'];
export type WebhookChange = NonNullable<
  operations['webhooks.update']['requestBody']
>['content']['application/json'];
export type ReplayRequest = operations['webhooks.replay']['requestBody']['content']['application/json'];

export interface WebhookFilter {
  enabled?: boolean;
  event_type?: string;
}

/** How often health is asked for while it is looked at. */
const HEALTH_MS = 5000;
/** The most that a page of the API holds. */
const PAGE = 100;

/** All that begins with this is of webhooks: for invalidating. */
export const webhooksKey = (workspaceId: string) => ['ws', workspaceId, 'webhooks'] as const;

export const webhooksQuery = (workspaceId: string, filter: WebhookFilter = {}) =>
  listQuery([...webhooksKey(workspaceId), 'list', filter], (page, signal) =>
    unwrap(
      apiFor(workspaceId).GET('/api/v1/webhooks', { params: { query: { ...page, ...filter } }, signal }),
    ),
  );

export const webhookQuery = (workspaceId: string, id: string) =>
  queryOptions({
    queryKey: [...webhooksKey(workspaceId), 'one', id],
    queryFn: ({ signal }) =>
      unwrap(apiFor(workspaceId).GET('/api/v1/webhooks/{id}', { params: { path: { id } }, signal })),
  });

export const webhookHealthQuery = (workspaceId: string, id: string) =>
  queryOptions({
    queryKey: [...webhooksKey(workspaceId), 'health', id],
    queryFn: ({ signal }) =>
      unwrap(apiFor(workspaceId).GET('/api/v1/webhooks/{id}/health', { params: { path: { id } }, signal })),
    refetchInterval: HEALTH_MS,
  });

/** The first hundred: those that fail are among them. */
export const worstHealthQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: [...webhooksKey(workspaceId), 'worst-health'],
    queryFn: ({ signal }) =>
      unwrap(
        apiFor(workspaceId).GET('/api/v1/webhook-health', { params: { query: { limit: PAGE } }, signal }),
      ).then((list) => list.data),
    refetchInterval: HEALTH_MS,
  });

export const deliveryQueueQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: [...webhooksKey(workspaceId), 'queue'],
    queryFn: ({ signal }) => unwrap(apiFor(workspaceId).GET('/api/v1/delivery-queue', { signal })),
    refetchInterval: HEALTH_MS,
  });

export const createWebhook = (workspaceId: string, body: NewWebhook) =>
  unwrap(apiFor(workspaceId).POST('/api/v1/webhooks', { body }));

export const updateWebhook = (workspaceId: string, id: string, body: WebhookChange) =>
  unwrap(apiFor(workspaceId).PATCH('/api/v1/webhooks/{id}', { params: { path: { id } }, body }));

export const deleteWebhook = (workspaceId: string, id: string) =>
  unwrap(apiFor(workspaceId).DELETE('/api/v1/webhooks/{id}', { params: { path: { id } } }));

/** @param secret one of the caller's own; made by the server where it is left out */
export const rotateWebhookSecret = (workspaceId: string, id: string, body: { secret?: string }) =>
  unwrap(apiFor(workspaceId).POST('/api/v1/webhooks/{id}/rotate-secret', { params: { path: { id } }, body }));

/** Sends a `ping`. */
export const testWebhook = (workspaceId: string, id: string) =>
  unwrap(apiFor(workspaceId).POST('/api/v1/webhooks/{id}/test', { params: { path: { id } } }));

/** @returns the job that does it */
export const replayWebhook = (workspaceId: string, id: string, body: ReplayRequest) =>
  unwrap(apiFor(workspaceId).POST('/api/v1/webhooks/{id}/replay', { params: { path: { id } }, body }));
