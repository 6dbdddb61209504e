/** Input of a replay. */
import Type, { type Static } from 'typebox';
import { Enum, Strict, Timestamp } from '../../platform/http/schema.ts';

export const REPLAY_STATUSES = ['exhausted', 'canceled', 'succeeded', 'missing'] as const;
export type ReplayStatus = (typeof REPLAY_STATUSES)[number];

/** Whatever the receiver has not got. */
export const NOT_GOT: readonly ReplayStatus[] = ['exhausted', 'canceled', 'missing'];

const Status = Enum(REPLAY_STATUSES);

export const ReplayWebhook = Strict({
  since: Timestamp('Start of the time range: at most 30 days ago, because older events are not stored.'),
  until: Type.Optional(Timestamp('End of the time range. Default: now.')),
  status: Type.Optional(
    Type.Union(
      [Status, Type.Array(Status, { minItems: 1, uniqueItems: true, maxItems: REPLAY_STATUSES.length })],
      {
        description:
          'Status of the deliveries to replay. `missing`: events that match the webhook but have no delivery. Default: `exhausted`, `canceled` and `missing`.',
        examples: [['exhausted', 'canceled', 'missing']],
      },
    ),
  ),
});

export type ReplayBody = Static<typeof ReplayWebhook>;
