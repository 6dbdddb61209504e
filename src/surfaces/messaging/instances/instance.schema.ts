/** API schemas of instances. Channels define the contents of `settings` and `credentials`. */
import Type, { type Static } from 'typebox';
import {
  searchFilter,
  createdFilters,
  CommaList,
  Enum,
  ListQuery,
  Metadata,
  Nullable,
  Strict,
  timeFields,
  Timestamp,
} from '../../../platform/http/schema.ts';
import { exampleId, Id, objectFields } from '../../../core/api/id-schema.ts';
import { Capabilities } from '../../../channels/contract/channel.schema.ts';
import { DESIRED_STATES, INSTANCE_STATES } from './instance-state.ts';

export const DEFAULT_QUEUE_TTL_SECONDS = 86_400;

const Name = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '\\S',
  description: 'Display name.',
  examples: ['Support'],
});
const Channel = Type.String({
  minLength: 1,
  maxLength: 40,
  description: "The channel. `GET /channels` lists all channels. Can't be changed later.",
  examples: ['sandbox'],
});
const Settings = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description:
    "The settings, as defined by the channel's `settings_schema`. In an update, they replace all settings.",
  examples: [{}],
});
const Credentials = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description:
    "The credentials, as defined by the channel's `credentials_schema`. Stored encrypted and never shown. In an update, they replace all credentials.",
  examples: [{}],
});
const QueueTtl = Type.Integer({
  minimum: 60,
  maximum: 30 * 86_400,
  default: DEFAULT_QUEUE_TTL_SECONDS,
  description: 'Maximum time that a message can be queued, in seconds. Then it fails with `expired`.',
  examples: [DEFAULT_QUEUE_TTL_SECONDS],
});
const ResendUnknown = Type.Boolean({
  default: false,
  description:
    'For channels whose `resend` is `never`: whether a message with an unknown result, such as after a crash, is sent again. Otherwise it fails with `delivery_unknown`.',
  examples: [false],
});

export const Instance = Type.Object(
  {
    ...objectFields('instance', 'instance'),
    name: Name,
    channel: Channel,
    address: Nullable(Type.String(), {
      description: 'Address of the account, once known. Unique among the instances of a channel.',
      examples: ['support'],
    }),
    profile_name: Nullable(Type.String(), {
      description: 'Name of the account on the channel.',
      examples: [null],
    }),
    desired_state: Enum(DESIRED_STATES, { description: 'The desired state.', examples: ['connected'] }),
    state: Enum(INSTANCE_STATES, { description: 'The current state.', examples: ['connected'] }),
    state_reason: Nullable(Type.String(), {
      description: 'Reason for the state: a stable code such as `refused`, `gave_up` or `user`.',
      examples: [null],
    }),
    state_changed_at: Timestamp('When the state last changed.'),
    restriction: Nullable(
      Type.Object({
        kind: Type.String({ description: 'Name on the channel.', examples: ['rate_limited'] }),
        until: Nullable(Timestamp('When the restriction ends, if known.')),
      }),
      {
        description: 'Current restriction of the account by the channel; null if there is none.',
        examples: [null],
      },
    ),
    capabilities: Capabilities,
    settings: Settings,
    ingress_url: Nullable(Type.String(), {
      description:
        'URL to enter at the channel, which then sends messages and receipts to it. null for channels that send no requests. The URL is not secret: each request is authenticated by its signature.',
      examples: [null],
    }),
    queue: Type.Object(
      {
        length: Type.Integer({ description: 'Number of queued messages.', examples: [0] }),
        oldest_at: Nullable(Timestamp('When the oldest message was queued.'), { examples: [null] }),
      },
      { description: 'The queue. Not covered by the ETag, because it changes with each message.' },
    ),
    unprocessed_updates: Type.Object(
      {
        count: Type.Integer({ description: 'Number of stored updates, up to 1,000.', examples: [0] }),
        deleted: Type.Integer({
          description: 'Number of updates that were deleted because they were too many or too old.',
          examples: [0],
        }),
      },
      {
        description:
          'Updates from the channel that could not be processed. `GET /instances/{id}/unprocessed-updates` lists them. Not covered by the ETag.',
      },
    ),
    queue_ttl_seconds: QueueTtl,
    resend_unknown: ResendUnknown,
    connected_at: Nullable(Timestamp('When the instance was last connected.')),
    last_error: Nullable(
      Type.Object({
        code: Type.String({ description: 'Stable error code.', examples: ['authentication_failed'] }),
        detail: Type.String({
          description: 'Explanation of the error.',
          examples: ['The server refused the password.'],
        }),
        at: Timestamp('When the error occurred.'),
      }),
      { description: 'The last connection error.', examples: [null] },
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
  search: searchFilter('name', 'support'),
  channel: Type.Optional(
    Type.String({ maxLength: 40, description: 'Only instances on this channel.', examples: ['sandbox'] }),
  ),
  state: Type.Optional(
    CommaList('Only instances in these states.', {
      pattern: `^(${INSTANCE_STATES.join('|')})(,(${INSTANCE_STATES.join('|')}))*$`,
      examples: ['failed,action_required'],
    }),
  ),
  ...createdFilters,
});

const PAIRING_KINDS = ['qr', 'code', 'link'] as const;
export const PAIRING_FORMATS = ['json', 'text', 'png', 'svg'] as const;

export const PairingQuery = Strict({
  format: Type.Optional(
    Enum(PAIRING_FORMATS, {
      description:
        'Format of the response: JSON, or the QR code as text, PNG or SVG. By default, `Accept` determines the format: `text/plain`, `image/png` or `image/svg+xml`.',
      examples: ['json'],
    }),
  ),
});

export const Pairing = Type.Object(
  {
    object: Type.Literal('pairing', { description: 'The type of the object.', examples: ['pairing'] }),
    instance_id: Id('instance'),
    kind: Enum(PAIRING_KINDS, {
      description: 'A QR code to scan, a code to enter, or a link to open on the device with the account.',
      examples: ['qr'],
    }),
    data: Type.String({
      description: 'The content of the QR code, the code, or the URL.',
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
    canceled: Type.Integer({ description: 'Number of canceled messages.', examples: [12] }),
  },
  { title: 'ClearedQueue' },
);

export type InstanceObject = Static<typeof Instance>;
export type CreateInstanceBody = Static<typeof CreateInstance>;
export type UpdateInstanceBody = Static<typeof UpdateInstance>;
export type PairingObject = Static<typeof Pairing>;
