/** Input of a replay. */
import Type, { type Static } from 'typebox';
import { Enum, Strict, Timestamp } from '../../platform/http/schema.ts';

export const REPLAY_STATUSES = ['exhausted', 'canceled', 'pending', 'succeeded', 'missing'] as const;
export type ReplayStatus = (typeof REPLAY_STATUSES)[number];

/** Everything that the receiver has not got. */
export const NOT_GOT: readonly ReplayStatus[] = ['exhausted', 'canceled', 'pending', 'missing'];

const Status = Enum(REPLAY_STATUSES);

export const ReplayWebhook = Strict({
  since: Timestamp('Start of the time range: at most 30 days ago, because older events are not stored.'),
  until: Type.Optional(Timestamp('End of the time range. Default: now.')),
  status: Type.Optional(
    Type.Union(
      [Status, Type.Array(Status, { minItems: 1, uniqueItems: true, maxItems: REPLAY_STATUSES.length })],
      {
        description:
          'Status of the deliveries to replay. `pending`: deliveries that wait for a retry are attempted now. `missing`: events that match the webhook but have no delivery. Default: all except `succeeded`.',
        examples: [['exhausted', 'canceled', 'pending', 'missing']],
      },
    ),
  ),
});

export type ReplayBody = Static<typeof ReplayWebhook>;
