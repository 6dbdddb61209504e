/** API schemas of instances. Channels define the contents of `settings` and `credentials`. */
import Type, { type Static } from 'typebox';
import {
  createdFilters,
  Enum,
  exampleId,
  Id,
  ListQuery,
  Metadata,
  Nullable,
  objectFields,
  Strict,
  timeFields,
  Timestamp,
} from '../../../platform/http/schema.ts';
import { Capabilities } from '../../../channels/contract/channel.schema.ts';
import { DESIRED_STATES, INSTANCE_STATES } from './instance-state.ts';

export const DEFAULT_QUEUE_TTL_SECONDS = 86_400;

const Name = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '\\S',
  description: 'What you call it.',
  examples: ['Support'],
});
const Channel = Type.String({
  minLength: 1,
  maxLength: 40,
  description: 'The channel; `GET /channels` lists them. It never changes.',
  examples: ['sandbox'],
});
const Settings = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description: "As the channel's `settings_schema` says. In a change they replace all settings.",
  examples: [{}],
});
const Credentials = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description:
    "As the channel's `credentials_schema` says. Stored encrypted, and never shown. In a change they replace all credentials.",
  examples: [{}],
});
const QueueTtl = Type.Integer({
  minimum: 60,
  maximum: 30 * 86_400,
  default: DEFAULT_QUEUE_TTL_SECONDS,
  description: 'How long a message may wait to be sent, in seconds; then it fails as `expired`.',
  examples: [DEFAULT_QUEUE_TTL_SECONDS],
});
const ResendUnknown = Type.Boolean({
  default: false,
  description:
    'For channels whose `resend` is `never`: whether a message that may or may not have been sent, as after a crash, is sent again rather than failed as `delivery_unknown`.',
  examples: [false],
});

export const Instance = Type.Object(
  {
    ...objectFields('instance', 'instance'),
    name: Name,
    channel: Channel,
    address: Nullable(Type.String(), {
      description: "The account's own address, once it is known. Unique among the instances of a channel.",
      examples: ['support'],
    }),
    profile_name: Nullable(Type.String(), {
      description: 'What the channel calls the account.',
      examples: [null],
    }),
    desired_state: Enum(DESIRED_STATES, { description: 'What you want.', examples: ['connected'] }),
    state: Enum(INSTANCE_STATES, { description: 'The current state.', examples: ['connected'] }),
    state_reason: Nullable(Type.String(), {
      description: 'Why it is in this state: a stable word, as `refused`, `gave_up` or `user`.',
      examples: [null],
    }),
    state_changed_at: Timestamp('Since when it is in this state.'),
    restriction: Nullable(
      Type.Object({
        kind: Type.String({ description: 'What the channel calls it.', examples: ['rate_limited'] }),
        until: Nullable(Timestamp('Until when, where the channel says.')),
      }),
      { description: 'How the channel limits the account at present.', examples: [null] },
    ),
    capabilities: Capabilities,
    settings: Settings,
    queue: Type.Object(
      {
        length: Type.Integer({ description: 'Messages that wait to be sent.', examples: [0] }),
        oldest_at: Nullable(Timestamp('Since when the oldest of them waits.'), { examples: [null] }),
      },
      { description: 'The queue. Not covered by the ETag, because it changes with each message.' },
    ),
    queue_ttl_seconds: QueueTtl,
    resend_unknown: ResendUnknown,
    connected_at: Nullable(Timestamp('Since when it is connected, or when it was last.')),
    last_error: Nullable(
      Type.Object({
        code: Type.String({ description: 'A stable word.', examples: ['authentication_failed'] }),
        detail: Type.String({ description: 'For people.', examples: ['The server refused the password.'] }),
        at: Timestamp('When.'),
      }),
      { description: 'What went wrong last with its connection.', examples: [null] },
    ),
    metadata: Metadata,
    created_by: Type.String({
      description: 'ID of the person or key that created it.',
      examples: [exampleId('user')],
    }),
    ...timeFields,
  },
  { title: 'Instance' },
);

const options = {
  queue_ttl_seconds: Type.Optional(QueueTtl),
  resend_unknown: Type.Optional(ResendUnknown),
  metadata: Type.Optional(Metadata),
};

export const CreateInstance = Strict({
  name: Name,
  channel: Channel,
  settings: Type.Optional(Settings),
  credentials: Type.Optional(Credentials),
  ...options,
});

export const UpdateInstance = Strict({
  name: Type.Optional(Name),
  settings: Type.Optional(Settings),
  credentials: Type.Optional(Credentials),
  ...options,
});

export const InstanceList = ListQuery({
  channel: Type.Optional(
    Type.String({ maxLength: 40, description: 'Only those of this channel.', examples: ['sandbox'] }),
  ),
  state: Type.Optional(
    Enum(INSTANCE_STATES, { description: 'Only those in this state.', examples: ['connected'] }),
  ),
  ...createdFilters,
});

const PAIRING_KINDS = ['qr', 'code', 'link'] as const;
export const PAIRING_FORMATS = ['json', 'text', 'png', 'svg'] as const;

export const PairingQuery = Strict({
  format: Type.Optional(
    Enum(PAIRING_FORMATS, {
      description:
        'The answer as JSON, or the QR code as text, PNG or SVG. Without it `Accept` decides: `text/plain`, `image/png` or `image/svg+xml`.',
      examples: ['json'],
    }),
  ),
});

export const Pairing = Type.Object(
  {
    object: Type.Literal('pairing', { description: 'The type of the object.', examples: ['pairing'] }),
    instance_id: Id('instance'),
    kind: Enum(PAIRING_KINDS, {
      description:
        'A QR code to scan, a code to type, or a link to open, on the device that has the account.',
      examples: ['qr'],
    }),
    data: Type.String({
      description: 'What the QR code holds, the code, or the address.',
      examples: ['sandbox:pair:7Qa2mPz8'],
    }),
    expires_at: Timestamp('When it expires. A new one is created automatically.'),
  },
  { title: 'Pairing' },
);

export const ClearedQueue = Type.Object(
  {
    object: Type.Literal('cleared_queue', {
      description: 'The type of the object.',
      examples: ['cleared_queue'],
    }),
    instance_id: Id('instance'),
    canceled: Type.Integer({ description: 'How many messages were canceled.', examples: [12] }),
  },
  { title: 'ClearedQueue' },
);

export type InstanceObject = Static<typeof Instance>;
export type CreateInstanceBody = Static<typeof CreateInstance>;
export type UpdateInstanceBody = Static<typeof UpdateInstance>;
export type PairingObject = Static<typeof Pairing>;
