/** Operations on deliveries. */
import { requireUuid, toUuid } from '../vocabulary/ids.ts';
import { type Operation, operation } from '../api/operation.ts';
import { getPage } from '../../platform/http/pagination.ts';
import { invalid } from '../../platform/http/problem.ts';
import { IdParams } from '../api/id-schema.ts';
import { toListSchema } from '../../platform/http/schema.ts';
import { Job } from '../jobs/job.schema.ts';
import {
  Attempt,
  AttemptList,
  Delivery,
  DeliveryList,
  DeliveryWithAttempts,
  EventDeliveryList,
} from './delivery.schema.ts';
import * as service from './delivery.service.ts';
import { ReplayWebhook } from './replay.schema.ts';
import { startReplay } from './replay.service.ts';

export interface DeliveryDeps {
  /** Notifies this process's engine that there are deliveries to send. */
  wakeDeliveries: () => void;
}

const time = (text: string | undefined): Date | undefined =>
  text === undefined ? undefined : new Date(text);

/** @throws Problem invalid_request */
function getEventId(id: string | undefined): string | undefined {
  if (id === undefined) return undefined;
  const uuid = toUuid('event', id);
  if (uuid === null)
    throw invalid([
      { pointer: '?event_id', code: 'invalid_id', detail: 'must be the ID of an event: evt_…' },
    ]);
  return uuid;
}

export const deliveryOperations = ({ wakeDeliveries }: DeliveryDeps): Operation[] => [
  operation(
    {
      id: 'deliveries.list',
      method: 'GET',
      path: '/webhooks/{id}/deliveries',
      tag: 'Webhooks',
      summary: 'List deliveries of a webhook',
      description: 'Sent and pending deliveries, newest first. Deliveries are retained for 30 days.',
      access: 'webhooks:read',
      params: IdParams('webhook'),
      query: DeliveryList,
      success: { status: 200, description: 'A page of deliveries.', schema: toListSchema(Delivery) },
    },
    async ({ actor, params, query, unit }) => ({
      body: await service.listDeliveries(
        unit,
        actor.workspaceId,
        requireUuid('webhook', params.id),
        getPage(query),
        {
          status: query.status,
          eventType: query.event_type,
          eventId: getEventId(query.event_id),
          createdAfter: time(query.created_after),
          createdBefore: time(query.created_before),
        },
      ),
    }),
  ),
  operation(
    {
      id: 'events.list_deliveries',
      method: 'GET',
      path: '/events/{id}/deliveries',
      tag: 'Webhooks',
      summary: 'List deliveries of an event',
      description: 'Returns the deliveries of one event to all webhooks, newest first.',
      access: 'webhooks:read',
      params: IdParams('event'),
      query: EventDeliveryList,
      success: { status: 200, description: 'A page of deliveries.', schema: toListSchema(Delivery) },
      errors: ['not_found'],
    },
    async ({ actor, params, query, unit }) => {
      const id = requireUuid('event', params.id);
      const filter = { createdAfter: time(query.created_after), createdBefore: time(query.created_before) };
      const { workspaceId, scopes } = actor;
      return {
        body: await service.listDeliveriesOfEvent(unit, workspaceId, id, scopes, getPage(query), filter),
      };
    },
  ),
  operation(
    {
      id: 'deliveries.get',
      method: 'GET',
      path: '/deliveries/{id}',
      tag: 'Webhooks',
      summary: 'Get a delivery',
      description:
        'Includes the body and the latest attempts with their request, response, timing and error. Bodies are shown only if your scopes let you read events of this type.',
      access: 'webhooks:read',
      params: IdParams('delivery'),
      success: { status: 200, description: 'The delivery.', schema: DeliveryWithAttempts },
    },
    async ({ actor, params, unit }) => {
      const id = requireUuid('delivery', params.id);
      return { body: await service.getDelivery(unit, actor.workspaceId, id, actor.scopes) };
    },
  ),
  operation(
    {
      id: 'deliveries.list_attempts',
      method: 'GET',
      path: '/deliveries/{id}/attempts',
      tag: 'Webhooks',
      summary: 'List attempts of a delivery',
      access: 'webhooks:read',
      params: IdParams('delivery'),
      query: AttemptList,
      success: {
        status: 200,
        description: 'A page of attempts, newest first.',
        schema: toListSchema(Attempt),
      },
    },
    async ({ actor, params, query, unit }) => {
      const id = requireUuid('delivery', params.id);
      const filter = { createdAfter: time(query.created_after), createdBefore: time(query.created_before) };
      const { workspaceId, scopes } = actor;
      return { body: await service.listAttempts(unit, workspaceId, id, scopes, getPage(query), filter) };
    },
  ),
  operation(
    {
      id: 'deliveries.retry',
      method: 'POST',
      path: '/deliveries/{id}/retry',
      tag: 'Webhooks',
      summary: 'Retry a delivery',
      description:
        'Sends the delivery now. A pending delivery becomes due immediately; a completed one restarts the retry schedule, even if it succeeded. Returns 409 while an attempt is in progress.',
      access: 'webhooks:write',
      params: IdParams('delivery'),
      success: { status: 202, description: 'The delivery, due now.', schema: Delivery },
      errors: ['conflict', 'webhook_disabled', 'event_expired', 'unprocessable'],
      audit: 'delivery',
    },
    async ({ actor, params, unit }) => {
      const id = requireUuid('delivery', params.id);
      return { body: await service.retryDelivery(unit, actor.workspaceId, id, wakeDeliveries) };
    },
  ),
  operation(
    {
      id: 'webhooks.replay',
      method: 'POST',
      path: '/webhooks/{id}/replay',
      tag: 'Webhooks',
      summary: 'Replay events to a webhook',
      description:
        'Sends the events of a time range that the receiver has not received: deliveries that did not succeed, and events from before the webhook was created or while it was disabled. Each event keeps its `webhook-id`. The number of events is not limited. `GET /jobs/{id}` shows the progress.',
      access: 'webhooks:write',
      params: IdParams('webhook'),
      body: ReplayWebhook,
      bodyExample: { since: '2026-01-15T09:30:00.000Z' },
      success: { status: 202, description: 'The job.', schema: Job },
      errors: ['webhook_disabled', 'unprocessable'],
      audit: 'webhook',
    },
    async ({ actor, params, body, unit }) => {
      const job = await startReplay(unit, actor.workspaceId, requireUuid('webhook', params.id), body);
      return { body: job, auditTarget: params.id, auditDetails: { job: job.id } };
    },
  ),
];
