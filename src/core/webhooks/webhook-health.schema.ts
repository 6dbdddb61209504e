/** How webhooks and the queue of deliveries are, as the API shows it. */
import Type, { type Static } from 'typebox';
import { Enum, Id, ListQuery, Nullable, Timestamp } from '../../platform/http/schema.ts';
import { DISABLED_REASONS } from './webhook.schema.ts';

const HEALTH_STATES = ['healthy', 'failing', 'idle', 'disabled'] as const;
export const HOURS_SHOWN = 24;

const Count = (description: string, example = 0) =>
  Type.Integer({ minimum: 0, description, examples: [example] });
const LastTime = (description: string) => Nullable(Timestamp(description));

const backlog = {
  waiting: Count('Deliveries that wait for their first or next attempt.', 3),
  waiting_is_capped: Type.Boolean({
    description: 'Whether there are more than `waiting` says: counting stops there.',
    examples: [false],
  }),
  sending: Count('Attempts under way now.', 1),
  oldest_due_at: Nullable(
    Timestamp('Since when the delivery that is due longest has been due; null where none is.'),
    { examples: [null] },
  ),
};

export const WebhookHealth = Type.Object(
  {
    object: Type.Literal('webhook_health', {
      description: 'The type of the object.',
      examples: ['webhook_health'],
    }),
    webhook_id: Id('webhook'),
    url: Type.String({ description: 'Where it posts to.', examples: ['https://example.com/hooks/fairlead'] }),
    state: Enum(HEALTH_STATES, {
      description:
        '`failing`: nothing succeeded since the last failure; `idle`: nothing was sent in the last 24 hours; `healthy`: it was, with success.',
      examples: ['healthy'],
    }),
    disabled_reason: Nullable(Enum(DISABLED_REASONS), {
      description: 'Why it is disabled.',
      examples: [null],
    }),
    failing_since: Nullable(Timestamp('The first failure after the last success.'), { examples: [null] }),
    last_success_at: LastTime('When an attempt last succeeded.'),
    last_failure_at: LastTime('When an attempt last failed.'),
    ...backlog,
    last_24_hours: Type.Object(
      {
        succeeded: Count('Attempts that succeeded.', 120),
        failed: Count('Attempts that failed.', 2),
        average_duration_ms: Nullable(Type.Integer({ minimum: 0 }), {
          description: 'How long an attempt took on the average; null without any.',
          examples: [84],
        }),
      },
      { description: 'This hour and the 23 before it.' },
    ),
    hours: Type.Array(
      Type.Object({
        at: Timestamp('When the hour began.'),
        succeeded: Count('Attempts that succeeded.', 5),
        failed: Count('Attempts that failed.'),
      }),
      {
        minItems: HOURS_SHOWN,
        maxItems: HOURS_SHOWN,
        description: '24 hours, oldest first; the last is this one.',
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
    due: Count('Of those that wait, how many are due now.', 1),
    due_is_capped: Type.Boolean({
      description: 'Whether there are more than `due` says.',
      examples: [false],
    }),
    oldest_due_seconds: Nullable(Type.Number({ minimum: 0 }), {
      description: 'How long that has been, in seconds.',
      examples: [0.2],
    }),
    last_attempt_at: LastTime('When an attempt last ended.'),
    attempts_this_hour: Count('Attempts since the full hour (UTC).', 40),
    attempts_previous_hour: Count('Attempts in the hour before that.', 65),
    failing_webhooks: Count('Webhooks with nothing but failures since their last success.'),
    disabled_webhooks: Count('Webhooks that are disabled.'),
  },
  { title: 'DeliveryQueue' },
);

export type WebhookHealthObject = Static<typeof WebhookHealth>;
export type DeliveryQueueObject = Static<typeof DeliveryQueueState>;
