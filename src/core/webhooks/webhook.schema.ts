/** Webhooks as the API shows and takes them. */
import Type, { type Static } from 'typebox';
import { RateLimit, RateLimitInput } from '../api/rate-limit.schema.ts';
import {
  searchFilter,
  createdFilters,
  Enum,
  ListQuery,
  Metadata,
  Nullable,
  Strict,
  timeFields,
  Timestamp,
} from '../../platform/http/schema.ts';
import { exampleId, Id, objectFields } from '../api/id-schema.ts';
import { END_REASONS } from '../created-objects/created-kind.ts';
import { KINDS } from './kinds/webhook-kinds.ts';

const ORDERINGS = ['none', 'per_resource'] as const;
export const DISABLED_REASONS = ['user', 'gone', 'failing', ...END_REASONS] as const;
export const MAX_URL = 2048;
const MAX_HEADERS = 20;
export const DEFAULT_CONCURRENCY = 32;

const EXAMPLE_URL = 'https://hooks.example.com/fairlead';

const Url = Type.String({
  minLength: 1,
  maxLength: MAX_URL,
  description: 'The URL that events are sent to: http or https, without credentials or fragment.',
  examples: [EXAMPLE_URL],
});
const TargetUrl = Type.String({
  minLength: 1,
  maxLength: MAX_URL,
  description: 'An alias of `url` for automation platforms.',
  examples: [EXAMPLE_URL],
});
const Events = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
  minItems: 1,
  maxItems: 100,
  description:
    'Event types to deliver: exact types, all of a resource such as `member.*`, or all with `*`. `GET /event-types` lists them.',
  examples: [['member.*', 'api_key.created']],
});

const InstanceId = Nullable(Id('instance'), {
  description: 'Only events of this channel instance.',
  examples: [null],
});
const LinkId = Nullable(Id('link'), { description: 'Only events of this short link.', examples: [null] });
const Tag = Nullable(Type.String({ minLength: 1, maxLength: 100 }), {
  description: 'Only events of short links with this tag.',
  examples: [null],
});
const filterFields = { instance_id: InstanceId, link_id: LinkId, tag: Tag };
const Filters = Type.Object(filterFields, {
  description: 'Filters for events; null for no filters.',
});
const FiltersInput = Strict(
  { instance_id: Type.Optional(InstanceId), link_id: Type.Optional(LinkId), tag: Type.Optional(Tag) },
  { description: 'Filters for events. In an update, they replace all filters.', examples: [{}] },
);

const Description = Nullable(Type.String({ maxLength: 500 }), {
  description: 'An optional description.',
  examples: ['Order mirror'],
});
const Kind = Enum(KINDS, {
  description:
    'The kind of receiver, which determines the body. `slack`, `discord` and `teams` get a message in their format; all others get the event. See `GET /webhook-kinds`.',
  default: 'custom',
  examples: ['custom'],
});
export const MAX_WEBHOOK_TEMPLATE = 16_384;
const MAX_TEMPLATES = 50;
const TEMPLATES_SHAPE = {
  type: 'object',
  additionalProperties: { type: 'string', minLength: 1, maxLength: MAX_WEBHOOK_TEMPLATE },
  maxProperties: MAX_TEMPLATES,
  examples: [{}],
};
const Templates = Type.Unsafe<Record<string, string>>({
  ...TEMPLATES_SHAPE,
  description:
    'Liquid templates that render the body as JSON, by event type (or `message.*`, or `*`). The most specific template is used. `event` is the event, `console_url` its page in the console. In an update, they replace all templates.',
});
const Concurrency = Type.Integer({
  minimum: 1,
  maximum: 200,
  default: DEFAULT_CONCURRENCY,
  description: 'Maximum concurrent deliveries across all nodes.',
  examples: [DEFAULT_CONCURRENCY],
});
const Ordering = Enum(ORDERINGS, {
  default: 'none',
  description:
    '`per_resource`: events of the same object are delivered in order, each after the previous one succeeded or was exhausted.',
  examples: ['none'],
});
const Enabled = Type.Boolean({
  default: true,
  description: 'Whether events are delivered.',
  examples: [true],
});

const headersInput = (values: object, description: string) => ({
  type: 'object',
  additionalProperties: { maxLength: 8192, ...values },
  maxProperties: MAX_HEADERS,
  description,
  examples: [{ Authorization: 'Bearer their-token' }],
});
const HEADERS_RULE =
  'Additional request headers, such as credentials for the receiver: at most 20, and 8 KiB in total. Values are stored encrypted and never shown. `Host`, `Content-*`, `webhook-*` and connection headers are not allowed.';

const RateInput = RateLimitInput(
  'Maximum requests per minute: a token bucket, a number, or null for no limit (the default). Deliveries over the limit are delayed.',
);

export const Webhook = Type.Object(
  {
    ...objectFields('webhook', 'webhook'),
    url: Url,
    target_url: TargetUrl,
    events: Events,
    filters: Filters,
    description: Description,
    kind: Kind,
    templates: Templates,
    headers: Type.Unsafe<Record<string, null>>({
      type: 'object',
      additionalProperties: { type: 'null' },
      description: 'Names of the additional headers. Their values are not shown.',
      examples: [{ Authorization: null }],
    }),
    enabled: Enabled,
    disabled_reason: Nullable(Enum(DISABLED_REASONS), {
      description:
        'Why the webhook is disabled: by a `user`; `gone`: the receiver responded with 410; `failing`: all attempts failed for 5 days; `api_key_revoked`, `api_key_expired`, `member_removed`: together with the API key or member that created it.',
      examples: [null],
    }),
    disabled_at: Nullable(Timestamp('When it was disabled.'), { examples: [null] }),
    rate_limit: Nullable(RateLimit, { description: 'null for none.', examples: [null] }),
    concurrency: Concurrency,
    ordering: Ordering,
    previous_secret_expires_at: Nullable(
      Timestamp('After a rotation: until when deliveries are also signed with the previous secret.'),
      { examples: [null] },
    ),
    metadata: Metadata,
    created_by: Type.String({
      description: 'ID of the person or key that created it.',
      examples: [exampleId('user')],
    }),
    ...timeFields,
  },
  { title: 'Webhook' },
);

const ShownSecret = Nullable(Type.String(), {
  description:
    'The signing secret. Shown only in this response; null if the webhook already existed, and in a replay by Idempotency-Key.',
  examples: ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'],
});
const OwnSecret = Type.String({
  maxLength: 200,
  description:
    'Your own signing secret: `whsec_` followed by 24 to 64 base64-encoded bytes. Generated if omitted.',
  examples: ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'],
});

export const WebhookWithSecret = Type.Object(
  { ...Webhook.properties, secret: ShownSecret },
  { title: 'WebhookWithSecret' },
);

const settings = {
  filters: Type.Optional(FiltersInput),
  enabled: Type.Optional(Enabled),
  description: Type.Optional(Description),
  rate_limit: Type.Optional(RateInput),
  concurrency: Type.Optional(Concurrency),
  ordering: Type.Optional(Ordering),
  kind: Type.Optional(Kind),
  templates: Type.Optional(Templates),
  metadata: Type.Optional(Metadata),
};

export const CreateWebhook = Strict({
  url: Type.Optional(Url),
  target_url: Type.Optional(TargetUrl),
  events: Events,
  ...settings,
  headers: Type.Optional(Type.Unsafe<Record<string, string>>(headersInput({ type: 'string' }, HEADERS_RULE))),
  secret: Type.Optional(OwnSecret),
});

export const UpdateWebhook = Strict({
  url: Type.Optional(Url),
  target_url: Type.Optional(TargetUrl),
  events: Type.Optional(Events),
  ...settings,
  headers: Type.Optional(
    Type.Unsafe<Record<string, string | null>>(
      headersInput(
        { type: ['string', 'null'] },
        `${HEADERS_RULE} They replace all headers; null keeps the current value of a header.`,
      ),
    ),
  ),
});

export const RotateWebhookSecret = Strict({ secret: Type.Optional(OwnSecret) });

export const WebhookTest = Type.Object(
  {
    object: Type.Literal('webhook_test', {
      description: 'The type of the object.',
      examples: ['webhook_test'],
    }),
    webhook_id: Id('webhook'),
    event_id: Id('event', 'ID of the `ping` event.'),
  },
  { title: 'WebhookTest' },
);

export const WebhookList = ListQuery({
  search: searchFilter('URL or description', 'crm'),
  enabled: Type.Optional(
    Type.Boolean({ description: 'Only webhooks that are (or are not) enabled.', examples: [true] }),
  ),
  url: Type.Optional(
    Type.String({
      maxLength: MAX_URL,
      description: 'Only webhooks with this URL.',
      examples: [EXAMPLE_URL],
    }),
  ),
  target_url: Type.Optional(
    Type.String({
      maxLength: MAX_URL,
      description: 'An alias of `url` for automation platforms.',
      examples: [EXAMPLE_URL],
    }),
  ),
  event_type: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Only webhooks that match this event type, by any pattern.',
      examples: ['api_key.created'],
    }),
  ),
  ...createdFilters,
});

export type WebhookObject = Static<typeof Webhook>;
export type CreateWebhookBody = Static<typeof CreateWebhook>;
export type UpdateWebhookBody = Static<typeof UpdateWebhook>;
