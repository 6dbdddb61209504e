/** Operations on webhooks. */
import { requireUuid } from '../vocabulary/ids.ts';
import { type Operation, operation } from '../api/operation.ts';
import { getPage } from '../../platform/http/pagination.ts';
import { IdParams } from '../api/id-schema.ts';
import { toListSchema } from '../../platform/http/schema.ts';
import {
  CreateWebhook,
  RotateWebhookSecret,
  UpdateWebhook,
  Webhook,
  WebhookList,
  WebhookTest,
  WebhookWithSecret,
} from './webhook.schema.ts';
import * as service from './webhook.service.ts';
import { readNewWebhook, readWebhookChanges } from './webhook-input.ts';
import { rotateSecret, updateWebhook } from './webhook-update.service.ts';
import { assertTemplates, type TemplateCheckDeps } from './kinds/template-check.ts';
import type { AssertUrlAllowed } from './webhook-url.ts';
import { onlyDisables } from '../api/storage-guard.ts';

export interface WebhookDeps extends service.WebhookServiceDeps, TemplateCheckDeps {
  assertUrlAllowed: AssertUrlAllowed;
}

export const webhookOperations = (deps: WebhookDeps): Operation[] => [
  operation(
    {
      id: 'webhooks.create',
      method: 'POST',
      path: '/webhooks',
      tag: 'Webhooks',
      summary: 'Create a webhook',
      description:
        'Requires `url` (or `target_url`) and `events`. The signing secret is shown only in this response. If you already created a webhook with the same URL, events and filters, that webhook is returned with status 200 and without its secret; if it was disabled because its receiver was gone or failing, it is enabled again. Requires the scope of every event type that the webhook delivers.',
      access: 'webhooks:write',
      body: CreateWebhook,
      bodyExample: { url: 'https://hooks.example.com/fairlead', events: ['member.*', 'api_key.created'] },
      success: { status: 201, description: 'The webhook, with its secret.', schema: WebhookWithSecret },
      otherSuccess: {
        status: 200,
        description: 'The existing webhook.',
        schema: WebhookWithSecret,
      },
      errors: ['quota_exceeded', 'address_not_allowed', 'unprocessable', 'unavailable'],
      events: ['webhook.created', 'webhook.updated'],
      audit: 'webhook',
      secrets: ['secret'],
    },
    async ({ actor, body }) => {
      const { address } = readNewWebhook(body);
      await assertTemplates(deps, actor.workspaceId, body.kind ?? 'custom', body.templates ?? {});
      if (address) await deps.assertUrlAllowed(address.url, address.pointer);
    },
    async ({ actor, body, unit }) => {
      const { webhook, secret, version, created } = await service.createWebhook(unit, deps, actor, body);
      return {
        status: created ? 201 : 200,
        body: { ...webhook, secret },
        version,
        created,
        auditDetails: { origin: new URL(webhook.url).origin, events: webhook.events, created },
      };
    },
  ),
  operation(
    {
      id: 'webhooks.list',
      method: 'GET',
      path: '/webhooks',
      tag: 'Webhooks',
      summary: 'List webhooks',
      access: 'webhooks:read',
      query: WebhookList,
      success: {
        status: 200,
        description: 'A page of webhooks, newest first.',
        schema: toListSchema(Webhook),
      },
    },
    async ({ actor, query, unit }) => ({
      body: await service.listWebhooks(unit, deps, actor.workspaceId, getPage(query), {
        enabled: query.enabled,
        url: query.url ?? query.target_url,
        eventType: query.event_type,
        search: query.search,
        createdAfter: query.created_after,
        createdBefore: query.created_before,
      }),
    }),
  ),
  operation(
    {
      id: 'webhooks.get',
      method: 'GET',
      path: '/webhooks/{id}',
      tag: 'Webhooks',
      summary: 'Get a webhook',
      access: 'webhooks:read',
      params: IdParams('webhook'),
      success: { status: 200, description: 'The webhook.', schema: Webhook },
    },
    async ({ actor, params, unit }) => {
      const id = requireUuid('webhook', params.id);
      const { webhook, version } = await service.getWebhook(unit, actor.workspaceId, id);
      return { body: webhook, version };
    },
  ),
  operation(
    {
      id: 'webhooks.update',
      method: 'PATCH',
      path: '/webhooks/{id}',
      whenFull: onlyDisables,
      tag: 'Webhooks',
      summary: 'Update a webhook',
      description:
        'Omitted fields stay unchanged. `enabled: false` cancels pending deliveries; `enabled: true` delivers new events from then on. `headers` replaces all headers, and null keeps the value of a header. You must give all values again when the origin of the URL changes. Requires the scope of every event type that the webhook delivers before and after the update; to disable it, `webhooks:write` is enough.',
      access: 'webhooks:write',
      params: IdParams('webhook'),
      body: UpdateWebhook,
      bodyExample: { events: ['member.*'], rate_limit: 600 },
      success: { status: 200, description: 'The updated webhook.', schema: Webhook },
      errors: ['conflict', 'unprocessable', 'address_not_allowed', 'unavailable'],
      events: ['webhook.updated', 'webhook.disabled'],
      audit: 'webhook',
    },
    async ({ actor, body }) => {
      const { address } = readWebhookChanges(body);
      // A template that renders JSON for one kind does so for all.
      await assertTemplates(deps, actor.workspaceId, body.kind ?? 'custom', body.templates ?? {});
      if (address) await deps.assertUrlAllowed(address.url, address.pointer);
    },
    async ({ actor, params, body, unit, ifMatch }) => {
      const id = requireUuid('webhook', params.id);
      const { webhook, version } = await updateWebhook(unit, deps, actor, id, body, ifMatch);
      return { body: webhook, version, auditDetails: { changed: Object.keys(body) } };
    },
  ),
  operation(
    {
      id: 'webhooks.delete',
      method: 'DELETE',
      path: '/webhooks/{id}',
      tag: 'Webhooks',
      summary: 'Delete a webhook',
      description: 'Pending deliveries are canceled. Deliveries that are being sent may still arrive.',
      access: 'webhooks:write',
      params: IdParams('webhook'),
      success: { status: 204, description: 'Deleted.' },
      events: ['webhook.deleted'],
      audit: 'webhook',
    },
    async ({ actor, params, unit, ifMatch }) => {
      await service.deleteWebhook(unit, actor.workspaceId, requireUuid('webhook', params.id), ifMatch);
      return { body: undefined };
    },
  ),
  operation(
    {
      id: 'webhooks.rotate_secret',
      method: 'POST',
      path: '/webhooks/{id}/rotate-secret',
      whenFull: 'goes_on',
      tag: 'Webhooks',
      summary: "Rotate a webhook's secret",
      description:
        'Creates a new signing secret. For 24 hours, deliveries are signed with both the new and the previous secret, so that your receiver can switch. A secret from an earlier rotation expires immediately.',
      access: 'webhooks:write',
      params: IdParams('webhook'),
      body: RotateWebhookSecret,
      bodyExample: {},
      success: { status: 201, description: 'The webhook, with its new secret.', schema: WebhookWithSecret },
      events: ['webhook.updated'],
      audit: 'webhook',
      secrets: ['secret'],
    },
    async ({ actor, params, body, unit }) => {
      const id = requireUuid('webhook', params.id);
      const { webhook, version, secret } = await rotateSecret(unit, deps.secrets, actor, id, body.secret);
      return { body: { ...webhook, secret }, version };
    },
  ),
  operation(
    {
      id: 'webhooks.test',
      method: 'POST',
      path: '/webhooks/{id}/test',
      tag: 'Webhooks',
      summary: 'Test a webhook',
      description: 'Sends a `ping` event to this webhook only, regardless of its event types.',
      access: 'webhooks:write',
      params: IdParams('webhook'),
      success: { status: 202, description: 'The event is queued for delivery.', schema: WebhookTest },
      errors: ['webhook_disabled'],
      events: ['ping'],
      audit: 'webhook',
    },
    async ({ actor, params, unit }) => {
      const id = requireUuid('webhook', params.id);
      const event = await service.testWebhook(unit, actor.workspaceId, id);
      return {
        body: { object: 'webhook_test' as const, webhook_id: params.id, event_id: event },
        auditTarget: params.id,
        auditDetails: { event_id: event },
      };
    },
  ),
];
