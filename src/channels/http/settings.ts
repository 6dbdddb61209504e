/** Settings and credentials of instances on the channel http: the bridge, and its capabilities. */
import { createSecretKey, type KeyObject } from 'node:crypto';
import Type, { type Static } from 'typebox';
import { parseSecret } from '../../platform/crypto/webhook-signature.ts';
import { Enum, Nullable, Strict } from '../../platform/http/schema.ts';
import {
  type Capabilities,
  type ChannelOperation,
  MESSAGE_TYPES,
  type MessageType,
} from '../contract/capabilities.ts';
import { DriverError } from '../contract/driver-error.ts';
import type { Json } from '../contract/json.ts';

/**
 * Operations that a bridge can declare. The ingress stores signals while the instance is disconnected, so `history` is
 * always supported.
 */
const OPERATIONS = [
  'edit',
  'revoke',
  'react',
  'reply',
  'thread_ids',
  'mention',
  'read',
  'typing',
  'delivery_receipts',
  'read_receipts',
  'own_copies',
] as const satisfies readonly ChannelOperation[];

const DEFAULT_TEXT = 4096;
/** The most that Fairlead stores of a text, and of a file. */
const MAX_TEXT = 65_536;
const MAX_BYTES = 67_108_864;
const MAX_SECONDS = 10 * 365 * 86_400;

const TypeLimits = Strict({
  max_text: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: MAX_TEXT }))),
  max_bytes: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_BYTES })),
  mime_types: Type.Optional(
    Nullable(
      Type.Array(
        Type.String({ maxLength: 100, pattern: '^[a-z]+/(\\*|[a-z0-9.+-]+)$', examples: ['image/*'] }),
        { minItems: 1, maxItems: 50 },
      ),
    ),
  ),
});
type TypeLimits = Static<typeof TypeLimits>;

const Rate = (description: string) =>
  Type.Optional(Nullable(Type.Number({ minimum: 0.001, maximum: 10_000 }), { description, examples: [10] }));
const Within = (description: string) =>
  Type.Optional(
    Nullable(Type.Integer({ minimum: 1, maximum: MAX_SECONDS }), { description, examples: [900] }),
  );

export const SettingsSchema = Strict({
  url: Type.String({
    format: 'http-url',
    maxLength: 2000,
    description: 'The URL of your bridge. Fairlead posts each action to it, signed.',
    examples: ['https://bridge.example.com/fairlead'],
  }),
  address: Type.Optional(
    Nullable(Type.String({ minLength: 1, maxLength: 255 }), {
      description: "The account's own address on your channel, if it has one.",
      examples: ['support'],
    }),
  ),
  types: Type.Optional(
    Type.Unsafe<Partial<Record<MessageType, TypeLimits>>>({
      type: 'object',
      propertyNames: { enum: MESSAGE_TYPES.filter((type) => type !== 'reaction') },
      additionalProperties: TypeLimits,
      minProperties: 1,
      default: { text: { max_text: DEFAULT_TEXT } },
      description:
        'Message types that your bridge can send, with their limits: `max_text` (characters of the text or caption; null for none), `max_bytes` and `mime_types` of files.',
      examples: [
        {
          text: { max_text: 4096 },
          image: { max_text: 1024, max_bytes: 5_000_000, mime_types: ['image/*'] },
        },
      ],
    }),
  ),
  operations: Type.Optional(
    Type.Array(Enum(OPERATIONS), {
      uniqueItems: true,
      maxItems: OPERATIONS.length,
      default: [],
      description: `Operations that your bridge supports: ${OPERATIONS.map((name) => `\`${name}\``).join(', ')}.`,
      examples: [['reply', 'react', 'read_receipts']],
    }),
  ),
  resend: Type.Optional(
    Enum(['never', 'deduplicated'], {
      default: 'never',
      description:
        'What happens to a message whose outcome is unknown. `deduplicated`: it is posted again with the same `webhook-id`; use it if your bridge executes each ID only once. `never`: it fails with `delivery_unknown`.',
      examples: ['deduplicated'],
    }),
  ),
  per_second: Rate('Messages per second that the account may send; null for no limit.'),
  per_chat: Rate('Messages per second that may be sent to one chat; null for no limit.'),
  concurrency: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 50,
      default: 4,
      description: 'Number of chats to which messages are sent at the same time.',
      examples: [4],
    }),
  ),
  edit_within: Within('Seconds after sending within which a message can be edited; null for no limit.'),
  revoke_within: Within('Seconds after sending within which a message can be revoked; null for no limit.'),
});
type Settings = Static<typeof SettingsSchema>;

export const CredentialsSchema = Strict({
  secret: Type.String({
    pattern: '^whsec_[A-Za-z0-9+/]{32,86}={0,2}$',
    format: 'password',
    description:
      'The secret that Fairlead and your bridge sign with: `whsec_` followed by 24 to 64 base64-encoded bytes. Create one with `echo whsec_$(openssl rand -base64 32)`.',
    examples: ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'],
  }),
});

/** @param given matches SettingsSchema, or is empty: the defaults */
const read = (given: Json): Partial<Settings> => (given ?? {}) as Partial<Settings>;

export const readUrl = (settings: Json): string => read(settings).url!;
export const readOwnAddress = (settings: Json): string | null => read(settings).address ?? null;

/** @throws DriverError refused if it is not a secret */
export function readKey(credentials: Json): KeyObject {
  const { secret } = credentials as Static<typeof CredentialsSchema>;
  const key = parseSecret(secret);
  if (!key)
    throw new DriverError(
      'refused',
      'invalid_secret',
      'The secret must be `whsec_` followed by 24 to 64 base64-encoded bytes.',
    );
  return createSecretKey(key);
}

export function readCapabilities(settings: Json): Capabilities {
  const given = read(settings);
  const types = given.types ?? { text: { max_text: DEFAULT_TEXT } };
  const operations: ChannelOperation[] = [...(given.operations ?? []), 'history'];
  return {
    resend: given.resend ?? 'never',
    types: {
      ...Object.fromEntries(
        Object.entries(types).map(([type, { max_text, max_bytes, mime_types }]) => [
          type,
          {
            text: max_text === undefined && type === 'text' ? DEFAULT_TEXT : (max_text ?? null),
            ...(max_bytes !== undefined && { bytes: max_bytes }),
            ...(mime_types !== undefined && { mimeTypes: mime_types }),
          },
        ]),
      ),
      ...(operations.includes('react') && { reaction: { text: null } }),
    },
    operations,
    pacing: {
      perSecond: given.per_second ?? null,
      perChat: given.per_chat ?? null,
      concurrency: given.concurrency ?? 4,
    },
    limits: {
      editWithin: given.edit_within ?? null,
      revokeWithin: given.revoke_within ?? null,
      groupMembers: null,
    },
  };
}
