/** Kinds of webhooks, and previews of their bodies, as the API shows and takes them. */
import Type, { type Static } from 'typebox';
import { Enum, Nullable, Strict } from '../../platform/http/schema.ts';
import { exampleId } from '../api/id-schema.ts';
import { TEMPLATE_ERROR_CODES } from '../../platform/templates/templates.ts';
import { MAX_WEBHOOK_TEMPLATE } from './webhook.schema.ts';
import { KINDS } from './kinds/webhook-kinds.ts';

const kindFields = {
  id: Enum(KINDS, { description: 'Name of the kind, as in `kind` of a webhook.', examples: ['slack'] }),
  object: Type.Literal('webhook_kind', {
    description: 'The type of the object.',
    examples: ['webhook_kind'],
  }),
  name: Type.String({ description: 'Display name.', examples: ['Slack'] }),
  description: Type.String({
    description: 'Description of the kind.',
    examples: ['A message in Block Kit, to an incoming webhook.'],
  }),
  has_templates: Type.Boolean({
    description: 'Whether bodies are rendered with default templates. Otherwise, events are sent unchanged.',
    examples: [true],
  }),
};

export const WebhookKindSummary = Type.Object(kindFields, { title: 'WebhookKindSummary' });

export const WebhookKindShown = Type.Object(
  {
    ...kindFields,
    templates: Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'The default Liquid templates, by event type.',
      examples: [{ ping: '{"text": "{{ event.data.object.message }}"}' }],
    }),
  },
  { title: 'WebhookKind' },
);

export const WebhookKindParams = Type.Object({
  kind: Type.String({ maxLength: 20, description: 'Name of the kind.', examples: ['slack'] }),
});

export const PreviewWebhook = Strict({
  kind: Type.Optional(
    Enum(KINDS, { description: 'Kind of the receiver.', default: 'custom', examples: ['slack'] }),
  ),
  template: Type.Optional(
    Nullable(Type.String({ minLength: 1, maxLength: MAX_WEBHOOK_TEMPLATE }), {
      default: null,
      description: 'A Liquid template; null for the default template of the kind.',
      examples: [null],
    }),
  ),
  event_type: Type.Optional(
    Nullable(Type.String({ maxLength: 100 }), {
      default: null,
      description: 'Event type whose sample is rendered. Required without `event_id`.',
      examples: ['message.received'],
    }),
  ),
  event_id: Type.Optional(
    Nullable(Type.String({ maxLength: 100 }), {
      default: null,
      description: 'An event of the workspace to render. Requires the scope of its type.',
      examples: [null],
    }),
  ),
});

export const WebhookPreview = Type.Object(
  {
    object: Type.Literal('webhook_preview', {
      description: 'The type of the object.',
      examples: ['webhook_preview'],
    }),
    event_id: Nullable(Type.String(), {
      description: 'ID of the rendered event; null for a sample.',
      examples: [null],
    }),
    event_type: Type.String({ description: 'Type of the event.', examples: ['message.received'] }),
    body: Nullable(Type.String(), {
      description: 'The rendered body; null if the template fails.',
      examples: [`{"id":"${exampleId('event')}"}`],
    }),
    error: Nullable(
      Type.Object({
        code: Enum(TEMPLATE_ERROR_CODES, {
          description: 'Code of the error.',
          examples: ['template_syntax'],
        }),
        detail: Type.String({
          description: 'The error and its position.',
          examples: ['Line 2, column 5: …'],
        }),
      }),
      { description: 'Why the body could not be rendered.', examples: [null] },
    ),
  },
  { title: 'WebhookPreview' },
);

export type PreviewWebhookBody = Static<typeof PreviewWebhook>;
export type WebhookPreviewObject = Static<typeof WebhookPreview>;
