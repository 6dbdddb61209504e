/** Channels, and what each can do, as the API shows them. */
import Type, { type Static } from 'typebox';
import { Enum, Nullable, Strict } from '../../platform/http/schema.ts';
import { MESSAGE_TYPES, OPERATIONS } from './capabilities.ts';

const TypeCapability = Type.Object(
  {
    max_text: Nullable(Type.Integer(), {
      description: 'Most characters of the text or caption; null where there can be none.',
      examples: [4096],
    }),
    max_bytes: Nullable(Type.Integer(), {
      description: 'Of a file: most bytes; null for other types.',
      examples: [null],
    }),
    mime_types: Nullable(Type.Array(Type.String()), {
      description: 'Of a file: types that are taken, as `image/*`; null for any.',
      examples: [null],
    }),
  },
  { title: 'TypeCapability' },
);

/** A bound that may be absent. */
const Bound = (description: string, example: number | null) =>
  Nullable(Type.Number(), { description, examples: [example] });

export const Capabilities = Type.Object(
  {
    types: Type.Unsafe<Record<string, Static<typeof TypeCapability>>>({
      type: 'object',
      propertyNames: { enum: [...MESSAGE_TYPES] },
      additionalProperties: TypeCapability,
      description: 'Message types that can be sent, each with its limits. Other types are rejected.',
      examples: [{ text: { max_text: 4096, max_bytes: null, mime_types: null } }],
    }),
    operations: Type.Array(Enum(OPERATIONS), {
      description: 'Operations other than sending.',
      examples: [['reply', 'delivery_receipts']],
    }),
    pacing: Type.Object(
      {
        per_second: Bound('Most messages a second; null for no bound.', null),
        per_chat: Bound('Most messages a second in one chat; null for no bound.', null),
        concurrency: Type.Integer({ description: 'Concurrent chats.', examples: [8] }),
      },
      { description: 'How fast it is sent; what is over it waits.' },
    ),
    limits: Type.Object(
      {
        edit_within: Bound('Seconds after sending within which an edit is taken; null for ever.', 900),
        revoke_within: Bound('Seconds within which a message can be taken back; null for ever.', null),
        group_members: Bound('Most members of a group; null for no bound, or where there are none.', null),
      },
      { description: 'Further bounds.' },
    ),
  },
  { title: 'Capabilities', description: 'What the channel can do with this account.' },
);

const JsonSchema = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description,
    examples: [{ type: 'object', properties: {}, additionalProperties: false }],
  });

export const Channel = Type.Object(
  {
    id: Type.String({ description: 'Its name, as instances have it in `channel`.', examples: ['sandbox'] }),
    object: Type.Literal('channel', { description: 'The type of the object.', examples: ['channel'] }),
    title: Type.String({ description: 'For people.', examples: ['Sandbox'] }),
    description: Type.String({ description: 'What it is, in a sentence.', examples: ['For trying things.'] }),
    pairs: Type.Boolean({
      description: 'Whether an account is connected by a QR code, a code or a link on another device.',
      examples: [false],
    }),
    resend: Enum(['deduplicated', 'lookup', 'never'], {
      description:
        'Handling of a message that was being sent when a connection or server died. `deduplicated`: sent again with the same ID, delivered once; `lookup`: the channel is asked; `never`: fails with `delivery_unknown`, unless the instance has `resend_unknown`.',
      examples: ['deduplicated'],
    }),
    credentials_schema: JsonSchema(
      'JSON Schema of `credentials`. Fields with the format `password` are secrets.',
    ),
    settings_schema: JsonSchema('JSON Schema of `settings`.'),
    host_settings: Type.Array(Type.String(), {
      description: 'JSON pointers to settings whose change asks for the credentials again.',
      examples: [['/imap/host']],
    }),
    capabilities: Capabilities,
  },
  { title: 'Channel' },
);

export const ChannelParams = Strict({
  channel: Type.String({
    maxLength: 40,
    description: 'Name of the channel.',
    examples: ['sandbox'],
  }),
});

export const CheckChannelBody = Strict({
  name: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'The name that the instance would have; some channels go by it.',
      examples: ['Support'],
    }),
  ),
  settings: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: "As the channel's `settings_schema` says.",
      examples: [{}],
    }),
  ),
  credentials: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: "As the channel's `credentials_schema` says. Neither stored nor shown.",
      examples: [{}],
    }),
  ),
});

export const ChannelCheck = Type.Object(
  {
    object: Type.Literal('channel_check', {
      description: 'The type of the object.',
      examples: ['channel_check'],
    }),
    channel: Type.String({ description: 'Name of the channel.', examples: ['sandbox'] }),
    ok: Type.Boolean({ description: 'Whether the connection succeeded.', examples: [true] }),
    needs_pairing: Type.Boolean({
      description: 'The channel answers, and the account is then connected by pairing.',
      examples: [false],
    }),
    address: Nullable(Type.String(), {
      description: "The account's own address, where the channel told it.",
      examples: ['support'],
    }),
    profile_name: Nullable(Type.String(), {
      description: 'What the channel calls the account.',
      examples: [null],
    }),
    error: Nullable(
      Type.Object({
        code: Type.String({ description: 'A stable word.', examples: ['authentication_failed'] }),
        detail: Type.String({ description: 'For people.', examples: ['The server refused the password.'] }),
      }),
      { description: 'Why the connection failed.', examples: [null] },
    ),
  },
  { title: 'ChannelCheck' },
);

export type ChannelCheckObject = Static<typeof ChannelCheck>;
export type CapabilitiesObject = Static<typeof Capabilities>;
export type ChannelObject = Static<typeof Channel>;
