/** Operations on kinds of webhooks: the list of kinds, their bodies, and a preview of custom templates. */
import { EVENT_TYPES } from '../vocabulary/event-catalog.ts';
import type { EventTypes } from '../events/event-type.service.ts';
import { type Operation, operation } from '../api/operation.ts';
import { toCompleteList } from '../../platform/http/pagination.ts';
import { notFound } from '../../platform/http/problem.ts';
import { toListSchema } from '../../platform/http/schema.ts';
import { defaultTemplate } from './kinds/platform-templates.ts';
import type { TemplateCheckDeps } from './kinds/template-check.ts';
import { previewBody } from './webhook-preview.service.ts';
import {
  PreviewWebhook,
  WebhookKindParams,
  WebhookKindShown,
  WebhookKindSummary,
  WebhookPreview,
} from './webhook-kind.schema.ts';
import { ABOUT_KINDS, isChatKind, KINDS, type WebhookKind } from './kinds/webhook-kinds.ts';

const summaryOfKind = (kind: WebhookKind) => ({
  id: kind,
  object: 'webhook_kind' as const,
  ...ABOUT_KINDS[kind],
  has_templates: isChatKind(kind),
});

const getTemplates = (eventTypes: EventTypes, kind: WebhookKind): Record<string, string> =>
  isChatKind(kind)
    ? Object.fromEntries(EVENT_TYPES.map((type) => [type, defaultTemplate(eventTypes, kind, type)]))
    : {};

const requireKind = (name: string): WebhookKind => {
  const kind = KINDS.find((one) => one === name);
  if (!kind) throw notFound('kind of webhook');
  return kind;
};

export const webhookKindOperations = (deps: TemplateCheckDeps): Operation[] => [
  operation(
    {
      id: 'webhook_kinds.list',
      method: 'GET',
      path: '/webhook-kinds',
      tag: 'Webhooks',
      summary: 'List webhook kinds',
      description: 'Returns all kinds of receivers without pagination.',
      access: 'webhooks:read',
      success: { status: 200, description: 'All kinds.', schema: toListSchema(WebhookKindSummary) },
    },
    () => ({ body: toCompleteList(KINDS.map(summaryOfKind)) }),
  ),
  operation(
    {
      id: 'webhook_kinds.get',
      method: 'GET',
      path: '/webhook-kinds/{kind}',
      tag: 'Webhooks',
      summary: 'Get a webhook kind',
      description:
        'Includes the default templates. To customize a body, copy its template, edit it, and set it in `templates` of a webhook.',
      access: 'webhooks:read',
      params: WebhookKindParams,
      success: { status: 200, description: 'The kind.', schema: WebhookKindShown },
    },
    ({ params }) => {
      const kind = requireKind(params.kind);
      return { body: { ...summaryOfKind(kind), templates: getTemplates(deps.eventTypes, kind) } };
    },
  ),
  operation(
    {
      id: 'webhooks.preview',
      method: 'POST',
      path: '/webhooks/preview',
      whenFull: 'goes_on',
      tag: 'Webhooks',
      summary: 'Preview a webhook body',
      description:
        'Renders an event, or the sample of an event type, as a webhook of this kind would send it. Nothing is sent or stored. If the template fails, `error` contains the reason.',
      access: 'webhooks:write',
      body: PreviewWebhook,
      bodyExample: { kind: 'slack', event_type: 'message.received' },
      success: { status: 200, description: 'The body.', schema: WebhookPreview },
      errors: ['unavailable'],
      transaction: 'none',
      idempotency: 'refused',
    },
    async ({ actor, body, unit }) => ({ body: await previewBody(unit, deps, actor, body) }),
  ),
];
