/** API schemas of publishing endpoints. */
import Type, { type Static } from 'typebox';
import { RateLimit, RateLimitInput } from '../../../core/api/rate-limit.schema.ts';
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
} from '../../../platform/http/schema.ts';
import { Id, objectFields } from '../../../core/api/id-schema.ts';
import { modelFields, modelInput } from '../questions/ask-model.schema.ts';
import { Destination, DestinationInput } from '../destinations/destination.schema.ts';
import { MAX_TEMPLATE } from '../../../platform/templates/templates.ts';
import { Schedule, ScheduleInput } from './schedule.schema.ts';
import { Auth, AuthInput, AuthUpdate } from './authentication/endpoint-auth.schema.ts';

const MAX_DESTINATIONS = 20;

const Name = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '\\S',
  description: 'The name.',
  examples: ['Blog'],
});
const Filter = Nullable(Type.String({ minLength: 1, maxLength: MAX_TEMPLATE }), {
  default: null,
  description:
    "A condition in the syntax of Liquid's `if`. A request that does not match gets 202 and is not published (`canceled`, reason `filtered`).",
  examples: ['payload.status == "published"'],
});
const DedupeKey = Nullable(Type.String({ minLength: 1, maxLength: 2_000 }), {
  default: null,
  description:
    'A Liquid template. A request that renders to the same text within 24 hours is a `duplicate` and is not published again. null: uses the delivery ID of the signature scheme, if it has one.',
  examples: ['{{ payload.id }}'],
});
const PROMPT = 'Summarize for a customer: {{ payload.text }}';
const ASK_MODEL = {
  default: null,
  description:
    'A model to ask about each request. The templates of the destinations have the text of its response as `answer`. null to ask none.',
  examples: [null],
};
const ShortenLinks = Type.Boolean({
  default: false,
  description: 'Whether URLs in texts are replaced with tracked short links.',
  examples: [false],
});
const AllowPartial = Type.Boolean({
  default: false,
  description:
    'By default, an error for one destination, such as a disconnected instance, rejects the whole publication. With `true`, it is published to the others and retried for that one.',
  examples: [false],
});
const SuccessStatus = Type.Unsafe<200 | 202>({
  type: 'integer',
  enum: [200, 202],
  default: 202,
  description:
    'The status of the response to accepted requests at `/in/`, for senders that treat any other status than 200 as a failure. Requests with an API key always get 202.',
  examples: [202],
});
const Enabled = Type.Boolean({
  default: true,
  description: 'Whether the endpoint accepts requests. A disabled endpoint responds with 404.',
  examples: [true],
});
const RateInput = RateLimitInput(
  'Maximum requests per minute (token bucket), or null for no limit (the default). Requests over the limit get 429.',
);

export const PublishingEndpoint = Type.Object(
  {
    ...objectFields('publishing_endpoint', 'publishing_endpoint'),
    name: Name,
    url: Nullable(Type.String(), {
      description:
        'The URL to send requests to. null for a secret URL, which is shown only in the response that creates it.',
      examples: ['https://example.com/api/v1/publish/pep_01h2xcejqtf2nbrexx3vqjhp41'],
    }),
    auth: Auth,
    destinations: Type.Array(Destination, { description: 'The recipients and their message templates.' }),
    ask_model: Nullable(Type.Object(modelFields(PROMPT), { title: 'PublishingQuestion' }), ASK_MODEL),
    filter: Filter,
    dedupe_key: DedupeKey,
    schedule: Nullable(Schedule, {
      description: 'When it is published; null for immediately.',
      examples: [null],
    }),
    shorten_links: ShortenLinks,
    allow_partial: AllowPartial,
    success_status: SuccessStatus,
    rate_limit: Nullable(RateLimit, { description: 'null for none.', examples: [null] }),
    enabled: Enabled,
    revision: Type.Integer({
      description: 'Revision of the definition. Each change to what is published and when increments it.',
      examples: [1],
    }),
    received: Type.Integer({ description: 'Number of accepted requests.', examples: [0] }),
    last_received_at: Nullable(Timestamp('When the latest request was accepted.'), { examples: [null] }),
    invalid_requests: Type.Integer({
      description:
        'Number of requests to `/in/` that were rejected because of their body or signature. They are not stored.',
      examples: [0],
    }),
    last_invalid_request: Nullable(
      Type.Object(
        {
          code: Type.String({ description: 'The `code` of the response.', examples: ['invalid_json'] }),
          detail: Type.String({
            description: 'The `detail` of the response, without what it quotes of the request.',
            examples: ['Unexpected end of JSON input'],
          }),
          created_at: Timestamp('When it was rejected.'),
        },
        { title: 'InvalidPublishingRequest' },
      ),
      { description: 'The latest of them; null if there is none.', examples: [null] },
    ),
    metadata: Metadata,
    created_by: Type.String({
      description: 'ID of the user or API key that created it.',
      examples: ['usr_01h2xcejqtf2nbrexx3vqjhp41'],
    }),
    ...timeFields,
  },
  { title: 'PublishingEndpoint' },
);

const shownOnce = {
  secret: Nullable(Type.String(), {
    description:
      'The signing secret. Shown only in this response; null if you supplied it, if there is none, and in a replay by Idempotency-Key.',
    examples: [null],
  }),
};
export const PublishingEndpointWithSecret = Type.Object(
  { ...PublishingEndpoint.properties, ...shownOnce },
  { title: 'PublishingEndpointWithSecret' },
);

const settings = {
  ask_model: Type.Optional(
    Nullable(Strict(modelInput(PROMPT), { title: 'PublishingQuestionInput' }), ASK_MODEL),
  ),
  filter: Type.Optional(Filter),
  dedupe_key: Type.Optional(DedupeKey),
  schedule: Type.Optional(
    Nullable(ScheduleInput, { description: 'null for immediately.', examples: [null] }),
  ),
  shorten_links: Type.Optional(ShortenLinks),
  allow_partial: Type.Optional(AllowPartial),
  success_status: Type.Optional(SuccessStatus),
  rate_limit: Type.Optional(RateInput),
  enabled: Type.Optional(Enabled),
  metadata: Type.Optional(Metadata),
};
const Destinations = Type.Array(DestinationInput, {
  minItems: 1,
  maxItems: MAX_DESTINATIONS,
  description: 'The recipients and their message templates.',
});

export const CreatePublishingEndpoint = Strict({
  name: Name,
  auth: AuthInput,
  destinations: Destinations,
  ...settings,
});

export const UpdatePublishingEndpoint = Strict({
  name: Type.Optional(Name),
  auth: Type.Optional(AuthUpdate),
  destinations: Type.Optional(Destinations),
  ...settings,
});

export const RotatePublishingEndpoint = Strict({
  secret: Type.Optional(
    Type.String({
      minLength: 8,
      maxLength: 500,
      description: 'For signatures: the new secret, if the sender generates it. Generated if omitted.',
      examples: ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'],
    }),
  ),
  overlap_seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 7 * 86_400,
      default: 86_400,
      description: 'How long the previous secret or URL stays valid, in seconds.',
      examples: [86_400],
    }),
  ),
});

export const PublishingEndpointList = ListQuery({
  search: searchFilter('name', 'orders'),
  enabled: Type.Optional(
    Type.Boolean({ description: 'Only those that are enabled, or disabled.', examples: [true] }),
  ),
  instance_id: Type.Optional(Id('instance', 'Only those with a destination on this instance.')),
  auth_type: Type.Optional(
    Enum(['bearer', 'secret_url', 'signature'], {
      description: 'Only those with this authentication type.',
      examples: ['signature'],
    }),
  ),
  ...createdFilters,
});

/** The stored form of a revision: content, destinations and schedule. */
export const DefinitionSchema = Type.Pick(PublishingEndpoint, [
  'destinations',
  'ask_model',
  'filter',
  'dedupe_key',
  'schedule',
  'shorten_links',
  'allow_partial',
]);

export type Definition = Static<typeof DefinitionSchema>;
export type PublishingEndpointObject = Static<typeof PublishingEndpoint>;
export type CreatePublishingEndpointBody = Static<typeof CreatePublishingEndpoint>;
export type UpdatePublishingEndpointBody = Static<typeof UpdatePublishingEndpoint>;
export type RotatePublishingEndpointBody = Static<typeof RotatePublishingEndpoint>;
