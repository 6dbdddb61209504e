/** Deliveries and their attempts as the API shows them. */
import Type, { type Static } from 'typebox';
import {
  createdFilters,
  Enum,
  ListQuery,
  Nullable,
  timeFields,
  Timestamp,
} from '../../platform/http/schema.ts';
import { exampleId, Id, objectFields } from '../api/id-schema.ts';
import { DELIVERY_STATUSES } from './delivery/delivery-state.ts';

const BODY_REASONS = ['insufficient_scope', 'event_expired', 'not_rendered'] as const;

const EventType = Type.String({ description: 'Type of the event.', examples: ['api_key.created'] });

export const Delivery = Type.Object(
  {
    ...objectFields('delivery', 'delivery'),
    webhook_id: Id('webhook', 'ID of the webhook.'),
    event_id: Id('event', 'ID of the event, also in the header `webhook-id` of each attempt.'),
    event_type: EventType,
    status: Enum(DELIVERY_STATUSES, {
      description:
        '`pending`: waiting for the next attempt; `sending`: an attempt is in progress; `exhausted`: all attempts failed; `canceled`: the webhook was disabled or deleted, or the event was erased with a contact, see `reason`.',
      examples: ['exhausted'],
    }),
    reason: Nullable(Type.String(), {
      description: 'Why the delivery was canceled. `event_erased`: the contact of the event was erased.',
      examples: [null],
    }),
    attempt_count: Type.Integer({
      minimum: 0,
      description: 'Number of attempts, including retries that you started.',
      examples: [10],
    }),
    next_attempt_at: Nullable(
      Timestamp(
        'When the next attempt is due; null if none is due, or if an earlier event must be delivered first.',
      ),
      { examples: [null] },
    ),
    last_attempt_at: Nullable(Timestamp('When the last attempt started.')),
    last_status_code: Nullable(Type.Integer(), {
      description: 'HTTP status of the last response; null if there was none.',
      examples: [503],
    }),
    last_error: Nullable(Type.String(), { description: 'Error of the last attempt.', examples: [null] }),
    completed_at: Nullable(Timestamp('When it ended.')),
    ...timeFields,
    updated_at: Timestamp('When it was last attempted or completed.'),
  },
  { title: 'Delivery' },
);

const Headers = (description: string) =>
  Type.Record(Type.String(), Type.Unknown(), {
    description,
    examples: [{ 'content-type': 'application/json' }],
  });

export const Attempt = Type.Object(
  {
    ...objectFields('attempt', 'attempt'),
    delivery_id: Id('delivery', 'ID of the delivery.'),
    number: Type.Integer({
      minimum: 1,
      description: 'Number of the attempt, starting with 1.',
      examples: [1],
    }),
    started_at: Timestamp('When it began.'),
    duration_ms: Type.Integer({
      minimum: 0,
      description: 'Duration of the attempt in milliseconds.',
      examples: [84],
    }),
    remote_address: Nullable(Type.String(), {
      description: 'The IP address that was connected to; null if none.',
      examples: ['203.0.113.7'],
    }),
    request: Type.Object(
      {
        method: Type.Literal('POST', { description: 'Always POST.', examples: ['POST'] }),
        url: Type.String({ description: 'URL of the request.', examples: ['https://example.com/hooks'] }),
        headers: Headers('Headers of the request. Values that you set yourself are omitted.'),
        body: Nullable(Type.String(), {
          description:
            "The first 32 KiB of the body that the template rendered. null if the event was sent unchanged, if no body could be rendered, or if your scopes don't let you read the event.",
          examples: [null],
        }),
      },
      { description: 'The request.' },
    ),
    response: Nullable(
      Type.Object({
        status_code: Type.Integer({ description: 'The HTTP status.', examples: [503] }),
        headers: Headers('The response headers.'),
        body: Nullable(Type.String(), {
          description:
            "The first 4 KiB of the body as text; null if your scopes don't let you read the event.",
          examples: ['over capacity'],
        }),
        body_is_utf8: Type.Boolean({
          description:
            'Whether the body is valid UTF-8. If not, `body` contains � in place of invalid bytes.',
          examples: [true],
        }),
        truncated: Type.Boolean({ description: 'Whether the body was truncated.', examples: [false] }),
      }),
      { description: 'The response of the receiver; null if there was none.' },
    ),
    error: Nullable(
      Type.Object({
        code: Type.String({ description: 'Stable error code.', examples: ['timeout'] }),
        detail: Type.String({
          description: 'Explanation of the error.',
          examples: ['no answer within 15 s'],
        }),
      }),
      { description: 'Why the attempt failed; null if the response explains it.', examples: [null] },
    ),
    ...timeFields,
  },
  { title: 'DeliveryAttempt' },
);

export const DeliveryWithAttempts = Type.Object(
  {
    ...Delivery.properties,
    body: Nullable(Type.String(), {
      description:
        'The exact body: the event, or the output of the template for the latest attempt. null for the reason in `body_reason`.',
      examples: [`{"id":"${exampleId('event')}","object":"event","type":"api_key.created"}`],
    }),
    body_hidden: Type.Boolean({
      description:
        "Whether the body and the responses are hidden because your scopes don't let you read the event.",
      examples: [false],
    }),
    body_reason: Nullable(Enum(BODY_REASONS), {
      description:
        "Why there is no body: your scopes don't let you read events of this type, the event is no longer stored (30 days), or the template has not been rendered yet.",
      examples: [null],
    }),
    attempts: Type.Array(Attempt, {
      description: 'The latest 100 attempts, newest first. `GET /deliveries/{id}/attempts` lists all.',
    }),
  },
  { title: 'DeliveryWithAttempts' },
);

export const DeliveryList = ListQuery({
  status: Type.Optional(
    Enum(DELIVERY_STATUSES, { description: 'Only deliveries in this status.', examples: ['exhausted'] }),
  ),
  event_type: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description:
        'Only events of this type. With this filter, or `status=succeeded`, a page searches up to 20,000 deliveries. It can have fewer than `limit` items, or none, although there are more (`has_more`).',
      examples: ['api_key.created'],
    }),
  ),
  event_id: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Only deliveries of this event.',
      examples: [exampleId('event')],
    }),
  ),
  ...createdFilters,
});

export const AttemptList = ListQuery(createdFilters);
export const EventDeliveryList = ListQuery(createdFilters);

export type DeliveryObject = Static<typeof Delivery>;
export type AttemptObject = Static<typeof Attempt>;
export type DeliveryDetail = Static<typeof DeliveryWithAttempts>;
