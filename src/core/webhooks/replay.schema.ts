/** Input of a replay. */
import Type, { type Static } from 'typebox';
import { Enum, Strict, Timestamp } from '../../platform/http/schema.ts';

export const REPLAY_STATUSES = ['exhausted', 'canceled', 'succeeded', 'missing'] as const;
export type ReplayStatus = (typeof REPLAY_STATUSES)[number];

/** Whatever the receiver has not got. */
export const NOT_GOT: readonly ReplayStatus[] = ['exhausted', 'canceled', 'missing'];

const Status = Enum(REPLAY_STATUSES);

export const ReplayWebhook = Strict({
  since: Timestamp('Events from this time on; at most 30 days ago, which is how long they are kept.'),
  until: Type.Optional(Timestamp('Events up to this time. Default: now.')),
  status: Type.Optional(
    Type.Union(
      [Status, Type.Array(Status, { minItems: 1, uniqueItems: true, maxItems: REPLAY_STATUSES.length })],
      {
        description:
          'How their deliveries ended, one or several; `missing`: events that the webhook would get today and has no delivery of. Default: `exhausted`, `canceled`, `missing`: whatever the receiver has not got.',
        examples: [['exhausted', 'canceled', 'missing']],
      },
    ),
  ),
});

export type ReplayBody = Static<typeof ReplayWebhook>;
