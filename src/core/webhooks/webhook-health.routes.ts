/** Operations on the health of webhooks and of the queue of deliveries. */
import { requireUuid } from '../vocabulary/ids.ts';
import { type Operation, operation } from '../api/operation.ts';
import { getPage } from '../../platform/http/pagination.ts';
import { IdParams } from '../api/id-schema.ts';
import { toListSchema } from '../../platform/http/schema.ts';
import { DeliveryQueueState, WebhookHealth, WebhookHealthList } from './webhook-health.schema.ts';
import * as service from './webhook-health.service.ts';

export const webhookHealthOperations = (): Operation[] => [
  operation(
    {
      id: 'webhooks.get_health',
      method: 'GET',
      path: '/webhooks/{id}/health',
      tag: 'Webhooks',
      summary: "Get a webhook's health",
      description:
        'Returns the status of the receiver, the pending deliveries, and the attempts of the last 24 hours.',
      access: 'webhooks:read',
      params: IdParams('webhook'),
      success: { status: 200, description: 'The health of the webhook.', schema: WebhookHealth },
    },
    async ({ actor, params, unit }) => ({
      body: await service.getHealth(unit, actor.workspaceId, requireUuid('webhook', params.id)),
    }),
  ),
  operation(
    {
      id: 'webhooks.list_health',
      method: 'GET',
      path: '/webhook-health',
      tag: 'Webhooks',
      summary: 'List the health of all webhooks',
      description:
        'Returns failing webhooks first, then the others, each newest first. `waiting` is counted up to 1,000.',
      access: 'webhooks:read',
      query: WebhookHealthList,
      success: { status: 200, description: 'A page.', schema: toListSchema(WebhookHealth) },
    },
    async ({ actor, query, unit }) => ({
      body: await service.listHealth(unit, actor.workspaceId, getPage(query, service.isHealthCursor)),
    }),
  ),
  operation(
    {
      id: 'delivery_queue.get',
      method: 'GET',
      path: '/delivery-queue',
      tag: 'Webhooks',
      summary: 'Get the delivery queue',
      description:
        'Returns the number of pending deliveries in the workspace. A growing `oldest_due_seconds` indicates a stalled queue. `waiting` and `due` are counted up to 10,000.',
      access: 'webhooks:read',
      success: { status: 200, description: 'The delivery queue.', schema: DeliveryQueueState },
    },
    async ({ actor, unit }) => ({ body: await service.getQueue(unit, actor.workspaceId) }),
  ),
];
