/** How webhooks and the queue of deliveries are, as the API shows it. */
import Type, { type Static } from 'typebox';
import { Enum, ListQuery, Nullable, Timestamp } from '../../platform/http/schema.ts';
import { Id } from '../api/id-schema.ts';
import { DISABLED_REASONS } from './webhook.schema.ts';

const HEALTH_STATES = ['healthy', 'degraded', 'failing', 'idle', 'disabled'] as const;
export const HOURS_SHOWN = 24;

const Count = (description: string, example = 0) =>
  Type.Integer({ minimum: 0, description, examples: [example] });
const LastTime = (description: string) => Nullable(Timestamp(description));

const backlog = {
  waiting: Count('Number of deliveries that are pending.', 3),
  waiting_is_capped: Type.Boolean({
    description: 'Whether there are more pending deliveries than `waiting` counts.',
    examples: [false],
  }),
  sending: Count('Number of attempts in progress.', 1),
  oldest_due_at: Nullable(Timestamp('When the oldest due delivery became due; null if none is due.'), {
    examples: [null],
  }),
};

export const WebhookHealth = Type.Object(
  {
    object: Type.Literal('webhook_health', {
      description: 'The type of the object.',
      examples: ['webhook_health'],
    }),
    webhook_id: Id('webhook'),
    url: Type.String({
      description: 'URL of the webhook.',
      examples: ['https://example.com/hooks/fairlead'],
    }),
    state: Enum(HEALTH_STATES, {
      description:
        '`healthy`: deliveries succeed. `degraded`: deliveries succeed, but in the last 24 hours at least 3 attempts and 10% of all attempts failed. `failing`: nothing succeeded since the last failure. `idle`: nothing was delivered in the last 24 hours. `disabled`: nothing is sent.',
      examples: ['healthy'],
    }),
    disabled_reason: Nullable(Enum(DISABLED_REASONS), {
      description: 'Why the webhook is disabled.',
      examples: [null],
    }),
    failing_since: Nullable(Timestamp('Time of the first failure after the last success.'), {
      examples: [null],
    }),
    last_success_at: LastTime('When an attempt last succeeded.'),
    last_failure_at: LastTime('When an attempt last failed.'),
    ...backlog,
    last_24_hours: Type.Object(
      {
        succeeded: Count('Number of successful attempts.', 120),
        failed: Count('Number of failed attempts.', 2),
        average_duration_ms: Nullable(Type.Integer({ minimum: 0 }), {
          description: 'Average duration of an attempt, in milliseconds; null without attempts.',
          examples: [84],
        }),
      },
      { description: 'The current hour and the 23 hours before it.' },
    ),
    hours: Type.Array(
      Type.Object({
        at: Timestamp('Start of the hour.'),
        succeeded: Count('Number of successful attempts.', 5),
        failed: Count('Number of failed attempts.'),
      }),
      {
        minItems: HOURS_SHOWN,
        maxItems: HOURS_SHOWN,
        description: 'The last 24 hours, oldest first. The last one is the current hour.',
        examples: [
          Array.from({ length: HOURS_SHOWN }, (_, hour) => ({
            at: new Date(Date.UTC(2026, 0, 14, 10 + hour)).toISOString(),
            succeeded: 5,
            failed: 0,
          })),
        ],
      },
    ),
  },
  { title: 'WebhookHealth' },
);

export const WebhookHealthList = ListQuery({});

export const DeliveryQueueState = Type.Object(
  {
    object: Type.Literal('delivery_queue', {
      description: 'The type of the object.',
      examples: ['delivery_queue'],
    }),
    ...backlog,
    due: Count('Number of pending deliveries that are due.', 1),
    due_is_capped: Type.Boolean({
      description: 'Whether there are more due deliveries than `due` counts.',
      examples: [false],
    }),
    oldest_due_seconds: Nullable(Type.Number({ minimum: 0 }), {
      description: 'How long the oldest due delivery has been due, in seconds.',
      examples: [0.2],
    }),
    last_attempt_at: LastTime('When the last attempt ended.'),
    attempts_this_hour: Count('Number of attempts in the current hour (UTC).', 40),
    attempts_previous_hour: Count('Number of attempts in the previous hour.', 65),
    failing_webhooks: Count('Number of webhooks that are failing.'),
    degraded_webhooks: Count(
      'Webhooks that deliver, but had a notable share of failed attempts in the last 24 hours.',
    ),
    disabled_webhooks: Count('Number of disabled webhooks.'),
  },
  { title: 'DeliveryQueue' },
);

export type WebhookHealthObject = Static<typeof WebhookHealth>;
export type DeliveryQueueObject = Static<typeof DeliveryQueueState>;
