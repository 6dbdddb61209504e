/** Operations on webhooks. */
import { requireUuid } from '../../platform/http/ids.ts';
import { type Operation, operation } from '../api/operation.ts';
import { getPage } from '../../platform/http/pagination.ts';
import { IdParams, toListSchema } from '../../platform/http/schema.ts';
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
        'Only `url` (or `target_url`) and `events` are needed. The secret that signs deliveries is shown in this answer alone. The same url, events and filters again by the same key or person give the first webhook, with status 200 and without a secret; one that was disabled because its receiver was gone or failing works again by that. You need the scope of every event that it is to deliver.',
      access: 'webhooks:write',
      body: CreateWebhook,
      bodyExample: { url: 'https://hooks.example.com/fairlead', events: ['member.*', 'api_key.created'] },
      success: { status: 201, description: 'The webhook, with its secret.', schema: WebhookWithSecret },
      otherSuccess: {
        status: 200,
        description: 'The webhook that was there already.',
        schema: WebhookWithSecret,
      },
      errors: ['quota_exceeded', 'address_not_allowed', 'unprocessable', 'unavailable'],
      events: ['webhook.created'],
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
      summary: 'Change a webhook',
      description:
        'Fields that are left out stay. `enabled: false` cancels what waits; `enabled: true` begins with what happens from then on. `headers` replace the whole set, where null keeps a value; all values must be given again when the url moves to another origin. You need the scope of every event that it delivers and is to deliver; to disable it, `webhooks:write` is enough.',
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
      // What makes JSON for one kind does so for all.
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
      summary: 'Rotate the secret of a webhook',
      description:
        'Deliveries are signed with the new secret and, for 24 hours, with the previous one too, so that a receiver can switch without losing any. An earlier secret that was still within its 24 hours stops working immediately.',
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
      description: 'Sends it a `ping` event, whatever it is subscribed to; no other webhook gets it.',
      access: 'webhooks:write',
      params: IdParams('webhook'),
      success: { status: 202, description: 'The event is on its way.', schema: WebhookTest },
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
