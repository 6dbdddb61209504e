/** Schemas of channels, their capabilities and connection checks. */
import Type, { type Static } from 'typebox';
import { Enum, Nullable, Strict } from '../../platform/http/schema.ts';
import { MESSAGE_TYPES, OPERATIONS } from './capabilities.ts';

const TypeCapability = Type.Object(
  {
    max_text: Nullable(Type.Integer(), {
      description: 'Maximum number of characters of the text or caption; null if not supported.',
      examples: [4096],
    }),
    max_bytes: Nullable(Type.Integer(), {
      description: 'Maximum file size in bytes; null for types without a file.',
      examples: [null],
    }),
    mime_types: Nullable(Type.Array(Type.String()), {
      description: 'Accepted file types, such as `image/*`; null for any.',
      examples: [null],
    }),
  },
  { title: 'TypeCapability' },
);

/** A limit; null for none. */
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
        per_second: Bound('Maximum messages per second; null for no limit.', null),
        per_chat: Bound('Maximum messages per second in one chat; null for no limit.', null),
        per_group: Bound('Maximum messages per second in one group; null for no limit.', null),
        concurrency: Type.Integer({ description: 'Concurrent chats.', examples: [8] }),
      },
      { description: 'Rate limits for sending. Messages over the limit are delayed.' },
    ),
    limits: Type.Object(
      {
        edit_within: Bound('Time limit for edits, in seconds after sending; null for no limit.', 900),
        revoke_within: Bound(
          'Time limit for revoking a message, in seconds after sending; null for no limit.',
          null,
        ),
        group_members: Bound('Maximum number of members of a group; null for no limit or no groups.', null),
        reply_window: Bound(
          'Seconds after the last message from the other side within which messages other than templates can be sent; null for no limit.',
          86_400,
        ),
      },
      { description: 'Other limits.' },
    ),
  },
  { title: 'Capabilities', description: 'Capabilities of the channel with this account.' },
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
    id: Type.String({
      description: 'Name of the channel, as in `channel` of an instance.',
      examples: ['sandbox'],
    }),
    object: Type.Literal('channel', { description: 'The type of the object.', examples: ['channel'] }),
    title: Type.String({ description: 'Display name.', examples: ['Sandbox'] }),
    description: Type.String({
      description: 'Description of the channel.',
      examples: ['For trying things.'],
    }),
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
      description: 'JSON pointers to the settings that require the credentials again when they change.',
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
      description: 'The name of the instance. Some channels use it.',
      examples: ['Support'],
    }),
  ),
  settings: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: "The settings, as defined by the channel's `settings_schema`.",
      examples: [{}],
    }),
  ),
  credentials: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description:
        "The credentials, as defined by the channel's `credentials_schema`. Neither stored nor shown.",
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
      description: 'Whether the channel is reachable and the account must be paired to connect.',
      examples: [false],
    }),
    address: Nullable(Type.String(), {
      description: 'Address of the account, if the channel reports it.',
      examples: ['support'],
    }),
    profile_name: Nullable(Type.String(), {
      description: 'Name of the account on the channel.',
      examples: [null],
    }),
    error: Nullable(
      Type.Object({
        code: Type.String({ description: 'Stable error code.', examples: ['authentication_failed'] }),
        detail: Type.String({
          description: 'Explanation of the error.',
          examples: ['The server refused the password.'],
        }),
      }),
      { description: 'Why the connection failed.', examples: [null] },
    ),
  },
  { title: 'ChannelCheck' },
);

export type ChannelCheckObject = Static<typeof ChannelCheck>;
export type CapabilitiesObject = Static<typeof Capabilities>;
export type ChannelObject = Static<typeof Channel>;
