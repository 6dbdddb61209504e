/** API schemas of unprocessed updates. */
import Type, { type Static } from 'typebox';
import { UNPROCESSED_REASONS } from '../../../channels/contract/signal.ts';
import { createdFilters, Enum, ListQuery, Nullable, Timestamp } from '../../../platform/http/schema.ts';
import { Id, objectFields } from '../../../core/api/id-schema.ts';

const Reason = Enum(UNPROCESSED_REASONS, {
  description:
    'Why it could not be processed. `unknown_kind`: this version does not know this kind of content. `malformed`: required members are missing or have another type. `no_sender`: no sender, or one with an unknown kind of address. `driver_error`: reading it failed repeatedly. `not_storable`: it was read, but could not be stored. `expired`: the instance was not connected for 7 days.',
  examples: ['unknown_kind'],
});

const fields = {
  ...objectFields('unprocessed_update', 'unprocessed_update'),
  instance_id: Id('instance'),
  reason: Reason,
  type: Nullable(Type.String(), {
    description: 'What the channel calls this kind of content, if it says so.',
    examples: ['business_message'],
  }),
  size: Type.Integer({ description: 'Size of the content in bytes.', examples: [412] }),
  raw_truncated: Type.Boolean({
    description: 'Whether the content was too large and was cut at 65,536 bytes. Then it cannot be replayed.',
    examples: [false],
  }),
  replay_requested_at: Nullable(Timestamp('When it was replayed, until the instance has read it again.'), {
    examples: [null],
  }),
  created_at: Timestamp('When it was received.'),
};

export const UnprocessedUpdate = Type.Object(fields, { title: 'UnprocessedUpdate' });

export const UnprocessedUpdateWithRaw = Type.Object(
  {
    ...fields,
    raw: Type.String({
      description: 'The content as received, as JSON. Untrusted text.',
      examples: ['{"update_id":1,"business_message":{}}'],
    }),
  },
  { title: 'UnprocessedUpdateWithRaw' },
);

export const UnprocessedUpdateList = ListQuery({ reason: Type.Optional(Reason), ...createdFilters });

export const ReplayedUpdates = Type.Object(
  {
    object: Type.Literal('replayed_updates', {
      description: 'The type of the object.',
      examples: ['replayed_updates'],
    }),
    instance_id: Id('instance'),
    count: Type.Integer({ description: 'Number of updates that the instance reads again.', examples: [12] }),
  },
  { title: 'ReplayedUpdates' },
);

export type UnprocessedUpdateObject = Static<typeof UnprocessedUpdate>;
export type UnprocessedUpdateWithRawObject = Static<typeof UnprocessedUpdateWithRaw>;
