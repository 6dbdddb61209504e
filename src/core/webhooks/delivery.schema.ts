/** Deliveries and their attempts as the API shows them. */
import Type, { type Static } from 'typebox';
import {
  createdFilters,
  Enum,
  exampleId,
  Id,
  ListQuery,
  Nullable,
  objectFields,
  timeFields,
  Timestamp,
} from '../../platform/http/schema.ts';
import { DELIVERY_STATUSES } from './delivery/delivery-state.ts';

const BODY_REASONS = ['insufficient_scope', 'event_expired', 'not_rendered'] as const;

const EventType = Type.String({ description: 'Type of the event.', examples: ['api_key.created'] });

export const Delivery = Type.Object(
  {
    ...objectFields('delivery', 'delivery'),
    webhook_id: Id('webhook', 'The webhook that it goes to.'),
    event_id: Id('event', 'The event that it carries; also the header `webhook-id` of each attempt.'),
    event_type: EventType,
    status: Enum(DELIVERY_STATUSES, {
      description:
        '`pending`: waits for its first or next attempt; `sending`: an attempt is under way; `exhausted`: the last of the schedule failed; `canceled`: the webhook was disabled or deleted before, or its event was emptied as a contact was erased, see `reason`.',
      examples: ['exhausted'],
    }),
    reason: Nullable(Type.String(), {
      description: 'Why it was canceled; `event_erased`: a contact was erased that the event told of.',
      examples: [null],
    }),
    attempt_count: Type.Integer({ minimum: 0, description: 'Attempts made, over all runs.', examples: [10] }),
    next_attempt_at: Nullable(
      Timestamp('When the next attempt is due; null where none is, or where an earlier event goes first.'),
      { examples: [null] },
    ),
    last_attempt_at: Nullable(Timestamp('When the last attempt was made.')),
    last_status_code: Nullable(Type.Integer(), {
      description: 'What the receiver answered last; null where it did not.',
      examples: [503],
    }),
    last_error: Nullable(Type.String(), { description: 'How the last attempt failed.', examples: [null] }),
    completed_at: Nullable(Timestamp('When it ended.')),
    ...timeFields,
    updated_at: Timestamp('When it was last attempted, or ended.'),
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
    delivery_id: Id('delivery', 'The delivery that it was made for.'),
    number: Type.Integer({ minimum: 1, description: '1 for the first of the delivery.', examples: [1] }),
    started_at: Timestamp('When it began.'),
    duration_ms: Type.Integer({ minimum: 0, description: 'How long it took.', examples: [84] }),
    remote_address: Nullable(Type.String(), {
      description: 'The address that was dialled; null where none was.',
      examples: ['203.0.113.7'],
    }),
    request: Type.Object(
      {
        method: Type.Literal('POST', { description: 'Always POST.', examples: ['POST'] }),
        url: Type.String({ description: 'Where it was sent to.', examples: ['https://example.com/hooks'] }),
        headers: Headers('As sent; values that you set yourself are left out.'),
        body: Nullable(Type.String(), {
          description:
            'Where a template made the body: what it made (its first 32 KiB). null where the event was sent as it is, where no body could be made, and where your scopes do not let you read the event.',
          examples: [null],
        }),
      },
      { description: 'The request.' },
    ),
    response: Nullable(
      Type.Object({
        status_code: Type.Integer({ description: 'Its status.', examples: [503] }),
        headers: Headers('Its headers.'),
        body: Nullable(Type.String(), {
          description: 'Its first 4 KiB as text; null where your scopes do not let you read the event.',
          examples: ['over capacity'],
        }),
        body_is_utf8: Type.Boolean({
          description: 'False where it is no UTF-8: `body` then has � for what is none.',
          examples: [true],
        }),
        truncated: Type.Boolean({ description: 'Whether there was more than is kept.', examples: [false] }),
      }),
      { description: 'What the receiver answered; null where it did not.' },
    ),
    error: Nullable(
      Type.Object({
        code: Type.String({ description: 'Stable error code.', examples: ['timeout'] }),
        detail: Type.String({ description: 'What went wrong.', examples: ['no answer within 15 s'] }),
      }),
      { description: 'Why it failed where the answer does not say so.', examples: [null] },
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
        'The body, exactly as sent: the event, or what a template made of it for the newest attempt that had one; null as `body_reason` says.',
      examples: [`{"id":"${exampleId('event')}","object":"event","type":"api_key.created"}`],
    }),
    body_hidden: Type.Boolean({
      description: 'Whether your scopes keep the body, and what the receiver answered, from you.',
      examples: [false],
    }),
    body_reason: Nullable(Enum(BODY_REASONS), {
      description:
        'Why there is no body: your scopes do not let you read events of this type, the event is not kept any more (30 days), or a template is to make it and has not yet.',
      examples: [null],
    }),
    attempts: Type.Array(Attempt, {
      description: 'The newest 100 attempts, newest first; `GET /deliveries/{id}/attempts` lists all.',
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
        'Only events of this type. With this filter, or `status=succeeded`, a page looks through 20,000 deliveries: it may hold fewer than `limit`, or none, and still have more.',
      examples: ['api_key.created'],
    }),
  ),
  event_id: Type.Optional(
    Type.String({ maxLength: 100, description: 'Only this event.', examples: [exampleId('event')] }),
  ),
  ...createdFilters,
});

export const AttemptList = ListQuery(createdFilters);

export type DeliveryObject = Static<typeof Delivery>;
export type AttemptObject = Static<typeof Attempt>;
export type DeliveryDetail = Static<typeof DeliveryWithAttempts>;
