/** Kinds of webhooks, and previews of their bodies, as the API shows and takes them. */
import Type, { type Static } from 'typebox';
import { Enum, exampleId, Nullable, Strict } from '../../../platform/http/schema.ts';
import { TEMPLATE_ERROR_CODES } from '../../../platform/templates/templates.ts';
import { MAX_WEBHOOK_TEMPLATE } from '../webhook.schema.ts';
import { KINDS } from './webhook-kinds.ts';

const kindFields = {
  id: Enum(KINDS, { description: 'Its name, as `kind` of a webhook.', examples: ['slack'] }),
  object: Type.Literal('webhook_kind', {
    description: 'The type of the object.',
    examples: ['webhook_kind'],
  }),
  name: Type.String({ description: 'What people call it.', examples: ['Slack'] }),
  description: Type.String({
    description: 'What it is sent, and where to.',
    examples: ['A message in Block Kit, to an incoming webhook.'],
  }),
  has_templates: Type.Boolean({
    description: 'Whether templates make its bodies from the start; else it is sent events as they are.',
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
      description: 'The Liquid that makes its bodies, by event type: what to begin with when you change one.',
      examples: [{ ping: '{"text": "{{ event.data.object.message }}"}' }],
    }),
  },
  { title: 'WebhookKind' },
);

export const WebhookKindParams = Type.Object({
  kind: Type.String({ maxLength: 20, description: 'Its name.', examples: ['slack'] }),
});

export const PreviewWebhook = Strict({
  kind: Type.Optional(
    Enum(KINDS, { description: 'What the receiver is.', default: 'custom', examples: ['slack'] }),
  ),
  template: Type.Optional(
    Nullable(Type.String({ minLength: 1, maxLength: MAX_WEBHOOK_TEMPLATE }), {
      default: null,
      description: 'Liquid; null for the default of the kind.',
      examples: [null],
    }),
  ),
  event_type: Type.Optional(
    Nullable(Type.String({ maxLength: 100 }), {
      default: null,
      description: 'Whose sample is rendered. This or `event_id` is given.',
      examples: ['message.received'],
    }),
  ),
  event_id: Type.Optional(
    Nullable(Type.String({ maxLength: 100 }), {
      default: null,
      description: 'An event of the workspace to render. You need its scope.',
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
      description: 'The event that was rendered; null for a sample.',
      examples: [null],
    }),
    event_type: Type.String({ description: 'Its type.', examples: ['message.received'] }),
    body: Nullable(Type.String(), {
      description: 'What would be sent; null where the template fails.',
      examples: [`{"id":"${exampleId('event')}"}`],
    }),
    error: Nullable(
      Type.Object({
        code: Enum(TEMPLATE_ERROR_CODES, {
          description: 'What kind of fault.',
          examples: ['template_syntax'],
        }),
        detail: Type.String({
          description: 'The error and its position.',
          examples: ['Line 2, column 5: …'],
        }),
      }),
      { description: 'Why there is no body.', examples: [null] },
    ),
  },
  { title: 'WebhookPreview' },
);

export type PreviewWebhookBody = Static<typeof PreviewWebhook>;
export type WebhookPreviewObject = Static<typeof WebhookPreview>;
