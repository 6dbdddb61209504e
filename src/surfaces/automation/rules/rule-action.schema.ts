/**
 * API schemas of rule actions. All texts are Liquid templates, which see the event and the outputs of earlier steps.
 */
import Type, { type Static } from 'typebox';
import { inWords } from '../../../platform/http/pattern-words.ts';
import { Enum, Nullable, Strict } from '../../../platform/http/schema.ts';
import { modelFields, modelInput } from '../questions/ask-model.schema.ts';
import { destinationFields, destinationInput, TemplateText } from '../destinations/destination.schema.ts';

export const ACTION_TYPES = ['send_message', 'create_link', 'call_webhook', 'ask_model'] as const;
export type ActionType = (typeof ACTION_TYPES)[number];
export const MAX_ACTIONS = 10;

const Name = Type.String({
  pattern: inWords(
    '^[a-z][a-z0-9_]{0,39}$',
    'must start with a lowercase letter, and can only contain lowercase letters, digits and underscores, at most 40 characters',
  ),
  description:
    'Name by which later steps refer to its output: `steps.<name>`. Derived from the type if omitted.',
  examples: ['answer'],
});
const When = Nullable(Type.String({ minLength: 1, maxLength: 65_536 }), {
  default: null,
  description: 'A condition. If it is false, the step is skipped.',
  examples: [null],
});
const head = <const T extends ActionType>(type: T) => ({
  type: Type.Literal(type, { description: 'The type of the action.', examples: [type] }),
  name: Type.Optional(Name),
  when: Type.Optional(When),
});
const shownHead = <const T extends ActionType>(type: T) => ({
  type: Type.Literal(type, { description: 'The type of the action.', examples: [type] }),
  name: Name,
  when: When,
});

const { type: messageType, ...recipientAndText } = destinationInput;
const { type: shownMessageType, ...shownRecipientAndText } = destinationFields;
const REPLY = {
  default: null,
  description: 'A Liquid template: ID of the message to reply to.',
  examples: [null],
};
const ReplyTo = Nullable(Type.String({ minLength: 1, maxLength: 2_000 }), REPLY);

const linkFields = {
  url: TemplateText(
    'The destination URL: a Liquid template.',
    'https://example.com/{{ event.data.object.id }}',
    8_000,
  ),
  slug: Nullable(Type.String({ minLength: 1, maxLength: 2_000 }), {
    default: null,
    description: 'A Liquid template; null to generate one.',
    examples: [null],
  }),
  domain: Nullable(Type.String({ minLength: 1, maxLength: 253 }), {
    default: null,
    description: 'A domain of the workspace; null for the default one.',
    examples: [null],
  }),
  tags: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
    default: [],
    maxItems: 20,
    description: 'Tags of the link.',
    examples: [['rules']],
  }),
};
const optional = Type.Optional;

const callFields = {
  url: Type.String({
    minLength: 1,
    maxLength: 2_048,
    description:
      'The URL to post to: http or https, without credentials. Not a template: the URL is checked when it is set.',
    examples: ['https://hooks.example.com/orders'],
  }),
  body: Nullable(Type.String({ minLength: 1, maxLength: 65_536 }), {
    default: null,
    description: 'A Liquid template that renders JSON; null for the event in the webhook format.',
    examples: [null],
  }),
};
const PROMPT = '{{ event.data.object.text.body }}';

const headersInput = Type.Unsafe<Record<string, string | null>>({
  type: 'object',
  additionalProperties: { type: ['string', 'null'], maxLength: 8_192 },
  maxProperties: 20,
  description:
    'Additional request headers, such as credentials for the receiver. Values are stored encrypted and never shown. In an update, null keeps the current value.',
  examples: [{ Authorization: 'Bearer their-token' }],
});
const secretInput = Nullable(Type.String({ maxLength: 200 }), {
  description:
    'Secret to sign the calls like webhooks: `whsec_` followed by 24 to 64 base64-encoded bytes. Never shown. In an update, omit it to keep the current secret; null removes it.',
  examples: ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'],
});

const actionInputs = [
  Strict(
    {
      ...head('send_message'),
      ...recipientAndText,
      message_type: messageType,
      reply_to: optional(ReplyTo),
    },
    { title: 'SendMessageInput' },
  ),
  Strict(
    {
      ...head('create_link'),
      url: linkFields.url,
      slug: optional(linkFields.slug),
      domain: optional(linkFields.domain),
      tags: optional(linkFields.tags),
    },
    { title: 'CreateLinkInput' },
  ),
  Strict(
    {
      ...head('call_webhook'),
      url: callFields.url,
      body: optional(callFields.body),
      headers: optional(headersInput),
      secret: optional(secretInput),
    },
    { title: 'CallWebhookInput' },
  ),
  Strict(
    {
      ...head('ask_model'),
      ...modelInput(PROMPT),
    },
    { title: 'AskModelInput' },
  ),
] as const;

/** Discriminated by type, so that validation reports errors of the intended type only. */
export const ActionInput = Type.Unsafe<Static<(typeof actionInputs)[number]>>({
  // The discriminator checks only objects and accepts everything else.
  type: 'object',
  oneOf: actionInputs,
  discriminator: { propertyName: 'type' },
  description: 'An action.',
});

export const Action = Type.Union(
  [
    Type.Object(
      {
        ...shownHead('send_message'),
        ...shownRecipientAndText,
        message_type: shownMessageType,
        reply_to: ReplyTo,
      },
      { title: 'SendMessageAction' },
    ),
    Type.Object({ ...shownHead('create_link'), ...linkFields }, { title: 'CreateLinkAction' }),
    Type.Object(
      {
        ...shownHead('call_webhook'),
        ...callFields,
        headers: Type.Unsafe<Record<string, null>>({
          type: 'object',
          additionalProperties: { type: 'null' },
          description: 'Names of the additional headers. Their values are not shown.',
          examples: [{ Authorization: null }],
        }),
        signed: Type.Boolean({ description: 'Whether calls are signed.', examples: [true] }),
      },
      { title: 'CallWebhookAction' },
    ),
    Type.Object({ ...shownHead('ask_model'), ...modelFields(PROMPT) }, { title: 'AskModelAction' }),
  ],
  { description: 'An action.' },
);

export const ActionTypeName = Enum(ACTION_TYPES, {
  description: 'The type of the action.',
  examples: ['send_message'],
});

export type ActionBody = Static<typeof ActionInput>;
export type ActionObject = Static<typeof Action>;
