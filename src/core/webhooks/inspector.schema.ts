/** Inspectors as the API shows them. */
import Type, { type Static } from 'typebox';
import {
  createdFilters,
  ListQuery,
  Metadata,
  Nullable,
  Strict,
  timeFields,
  Timestamp,
} from '../../platform/http/schema.ts';
import { objectFields } from '../api/id-schema.ts';

const Name = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '\\S',
  description: 'Name of the inspector.',
  examples: ['First try'],
});

const answerFields = {
  status: Type.Integer({
    minimum: 200,
    maximum: 599,
    description:
      'HTTP status. Use 500 to test retries, 429 to test rate limiting, and 410 to test the automatic disabling of a webhook.',
    examples: [200],
  }),
  delay_ms: Type.Integer({
    minimum: 0,
    maximum: 20_000,
    description: 'Delay before the response, in milliseconds. Above 15,000, a delivery times out.',
    examples: [0],
  }),
  headers: Type.Unsafe<Record<string, string>>({
    type: 'object',
    propertyNames: { minLength: 1, maxLength: 60 },
    additionalProperties: { type: 'string', maxLength: 200, pattern: '^[\\x20-\\x7e]*$' },
    maxProperties: 10,
    description:
      'Headers of the response: `Retry-After`, `RateLimit`, `RateLimit-Policy`, `X-RateLimit-*`, `X-Request-Id` and `X-Test-*`.',
    examples: [{ 'retry-after': '30' }],
  }),
  body: Type.String({
    maxLength: 4096,
    description: 'Body of the response, sent as `text/plain`.',
    examples: ['ok'],
  }),
};

const Answer = Type.Object(answerFields, { description: 'The response to requests.' });

const AnswerChange = Strict(
  {
    status: Type.Optional(answerFields.status),
    delay_ms: Type.Optional(answerFields.delay_ms),
    headers: Type.Optional(answerFields.headers),
    body: Type.Optional(answerFields.body),
  },
  { description: 'The response. Omitted fields stay unchanged; initially 200 without delay or body.' },
);

const Enabled = Type.Boolean({
  description: 'Whether the inspector accepts requests. The URL of a disabled inspector returns 404.',
  examples: [true],
});

const Url = Type.String({
  description:
    "The URL to send requests to. Anyone who knows it can send requests, but not read them. Webhooks and rules of the workspace that use it show the inspector's ID in place of the secret part.",
  examples: ['http://localhost:3000/inspect/8Zk1yQv0cW5m3sT7uXbN2dRf4gHj6kLp9aEiOqUwYtA'],
});

export const Inspector = Type.Object(
  {
    ...objectFields('inspector', 'inspector'),
    name: Name,
    enabled: Enabled,
    url: Url,
    answer: Answer,
    requests_received: Type.Integer({
      description:
        'Total number of requests, including deleted ones. Equals the `number` of the latest request.',
      examples: [12],
    }),
    last_received_at: Nullable(Timestamp('When the latest request was received.')),
    metadata: Metadata,
    created_by: Type.String({
      description: 'ID of the person or key that created it.',
      examples: ['usr_01h2xcejqtf2nbrexx3vqjhp41'],
    }),
    ...timeFields,
  },
  { title: 'Inspector' },
);

/** The stored answer of an Idempotency-Key never holds a secret. */
export const CreatedInspector = Type.Object(
  {
    ...Inspector.properties,
    url: Nullable(Url, {
      description:
        'The URL to send requests to. null in a replay by Idempotency-Key; `GET /inspectors/{id}` returns it.',
    }),
  },
  { title: 'CreatedInspector' },
);

const changeable = {
  name: Type.Optional(Name),
  answer: Type.Optional(AnswerChange),
  metadata: Type.Optional(Metadata),
};

export const CreateInspector = Strict(changeable);
export const UpdateInspector = Strict({ ...changeable, enabled: Type.Optional(Enabled) });
export const InspectorList = ListQuery(createdFilters);

export type InspectorObject = Static<typeof Inspector>;
export type InspectorAnswer = Static<typeof Answer>;
export type InspectorBody = Static<typeof CreateInspector>;
export type UpdateInspectorBody = Static<typeof UpdateInspector>;
