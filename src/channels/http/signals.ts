/**
 * Signals as bridges post them. Each is validated strictly and converted to the contract's signal on receipt, so that a
 * bridge's author sees every error in the response. The converted signal is stored as JSON.
 */
import Type, { type Static, type TSchema } from 'typebox';
import type { FieldError } from '../../platform/http/problem.ts';
import { Enum, Nullable, Strict } from '../../platform/http/schema.ts';
import { compileValidator } from '../../platform/http/validation.ts';
import { MESSAGE_TYPES } from '../contract/capabilities.ts';
import { InvalidAddressError } from '../contract/driver-error.ts';
import type { Json } from '../contract/json.ts';
import type { InboundChat, Signal } from '../contract/signal.ts';
import { normalizeAddress } from './address.ts';

const Address = Type.String({ minLength: 1, maxLength: 255 });
const ExternalId = Type.String({ minLength: 1, maxLength: 255 });
const ThreadId = Type.String({ maxLength: 255, pattern: '^[!-~]*$' });
const Name = Type.String({ maxLength: 255 });
const Text = Type.String({ maxLength: 65_536 });
const Time = Type.Optional(Type.String({ format: 'date-time' }));
const Url = Type.String({ format: 'http-url', maxLength: 2000 });
const Role = Enum(['owner', 'admin', 'member']);
const optional = <T extends TSchema>(schema: T) => Type.Optional(Nullable(schema));

const Chat = Strict({
  kind: Type.Optional(Enum(['direct', 'group'])),
  address: Address,
  title: optional(Name),
});
/** Of a message that was sent: its `external_id`, or the `client_id` of the action. */
const ref = { external_id: optional(ExternalId), client_id: optional(ExternalId) };

const SCHEMAS = {
  message: Strict({
    signal: Type.Literal('message'),
    external_id: ExternalId,
    /** Default: the direct chat with `from`. */
    chat: Type.Optional(Chat),
    from: Address,
    from_name: optional(Name),
    from_me: Type.Optional(Type.Boolean()),
    client_id: optional(ExternalId),
    type: Enum(MESSAGE_TYPES.filter((type) => type !== 'reaction')),
    text: optional(Text),
    file: optional(Strict({ url: Url, file_name: optional(Name) })),
    data: Type.Optional(Type.Unsafe<Json>({ type: ['object', 'array', 'null'] })),
    subject: optional(Name),
    thread_id: optional(ThreadId),
    reply_to: optional(ExternalId),
    mentions: Type.Optional(Type.Array(Address, { maxItems: 50 })),
    at: Time,
  }),
  receipt: Strict({
    signal: Type.Literal('receipt'),
    ...ref,
    status: Enum(['sent', 'delivered', 'read', 'failed']),
    error: optional(
      Strict({
        code: Type.String({ pattern: '^[a-z][a-z0-9_]{0,63}$' }),
        detail: Type.String({ maxLength: 300 }),
      }),
    ),
    /** All earlier messages of the chat were read, too. */
    up_to: Type.Optional(Type.Boolean()),
    /** In a group: everybody has it. */
    of_all: Type.Optional(Type.Boolean()),
    at: Time,
  }),
  edit: Strict({ signal: Type.Literal('edit'), ...ref, external_id: ExternalId, text: Text, at: Time }),
  revoke: Strict({ signal: Type.Literal('revoke'), ...ref, external_id: ExternalId, at: Time }),
  reaction: Strict({
    signal: Type.Literal('reaction'),
    ...ref,
    from: Address,
    from_me: Type.Optional(Type.Boolean()),
    emoji: Nullable(Type.String({ minLength: 1, maxLength: 64 })),
    at: Time,
  }),
  typing: Strict({
    signal: Type.Literal('typing'),
    chat: Type.Optional(Chat),
    from: Address,
    is_typing: Type.Boolean(),
  }),
  contact: Strict({
    signal: Type.Literal('contact'),
    address: Address,
    name: Nullable(Name),
    /** Creates the contact if there is none. */
    is_contact: Type.Optional(Type.Boolean()),
  }),
  same_person: Strict({
    signal: Type.Literal('same_person'),
    addresses: Type.Array(Address, { minItems: 1, maxItems: 10 }),
    /** Addresses that the person has given up. */
    former: Type.Optional(Type.Array(Address, { maxItems: 10 })),
  }),
  group: Strict({
    signal: Type.Literal('group'),
    address: Address,
    membership: Type.Optional(Enum(['joined', 'left', 'removed', 'banned', 'destroyed'])),
    subject: Type.Optional(Name),
    description: optional(Type.String({ maxLength: 4096 })),
    invite_url: optional(Url),
    /** All participants: those that are omitted are not in the group. */
    participants: Type.Optional(
      Type.Array(Strict({ address: Address, role: Role, name: optional(Name) }), { maxItems: 5000 }),
    ),
    by: optional(Address),
    at: Time,
  }),
} as const;
type Kind = keyof typeof SCHEMAS;
type Given = { [K in Kind]: Static<(typeof SCHEMAS)[K]> };

const directWith = (address: string, title: string | null = null): InboundChat => ({
  kind: 'direct',
  key: address,
  address,
  title,
});
const toChat = (chat: Static<typeof Chat> | undefined, from: string): InboundChat =>
  chat
    ? { ...directWith(normalizeAddress(chat.address), chat.title ?? null), kind: chat.kind ?? 'direct' }
    : directWith(from);
const toRef = ({ external_id, client_id }: { external_id?: string | null; client_id?: string | null }) => ({
  externalId: external_id ?? null,
  clientId: client_id ?? null,
});

const CONVERT: { [K in Kind]: (given: Given[K], at: Date) => Signal } = {
  message(given, at) {
    const from = normalizeAddress(given.from);
    return {
      kind: 'message',
      externalId: given.external_id,
      ...(given.client_id ? { clientId: given.client_id } : {}),
      chat: toChat(given.chat, from),
      from,
      fromName: given.from_name ?? null,
      fromMe: given.from_me ?? false,
      to: null,
      type: given.type,
      text: given.text ?? null,
      file: given.file ? { url: given.file.url, fileName: given.file.file_name ?? null } : null,
      data: given.data ?? null,
      subject: given.subject ?? null,
      ...(given.thread_id ? { threadId: given.thread_id } : {}),
      replyTo: given.reply_to ? { externalId: given.reply_to } : null,
      mentions: (given.mentions ?? []).map(normalizeAddress),
      at,
    };
  },
  receipt: (given, at) => ({
    kind: 'receipt',
    ...toRef(given),
    status: given.status,
    error:
      given.status === 'failed'
        ? (given.error ?? { code: 'rejected_by_channel', detail: 'The bridge gave no detail.' })
        : null,
    ...(given.up_to !== undefined && { upTo: given.up_to }),
    ...(given.of_all !== undefined && { ofAll: given.of_all }),
    at,
  }),
  edit: (given, at) => ({
    kind: 'edited',
    ...toRef(given),
    externalId: given.external_id,
    changeId: null,
    text: given.text,
    at,
  }),
  revoke: (given, at) => ({ kind: 'revoked', ...toRef(given), externalId: given.external_id, at }),
  reaction: (given, at) => ({
    kind: 'reacted',
    ...toRef(given),
    author: normalizeAddress(given.from),
    fromMe: given.from_me ?? false,
    emoji: given.emoji,
    at,
  }),
  typing(given) {
    const address = normalizeAddress(given.from);
    return { kind: 'typing', chat: toChat(given.chat, address), address, isTyping: given.is_typing };
  },
  contact: ({ address, name, is_contact }) => ({
    kind: 'profile',
    address: normalizeAddress(address),
    name,
    ...(is_contact !== undefined && { isContact: is_contact }),
  }),
  same_person: ({ addresses, former = [] }) => ({
    kind: 'same_person',
    addresses: addresses.map(normalizeAddress),
    former: former.map(normalizeAddress),
  }),
  group(given, at) {
    const address = normalizeAddress(given.address);
    const { membership, subject, description, invite_url, participants, by } = given;
    return {
      kind: 'group',
      key: address,
      address,
      ...(membership !== undefined && { membership }),
      about: {
        ...(subject !== undefined && { subject }),
        ...(description !== undefined && { description }),
        ...(invite_url !== undefined && { inviteUrl: invite_url }),
      },
      ...(participants && {
        participants: {
          all: participants.map((one) => ({
            address: normalizeAddress(one.address),
            role: one.role,
            name: one.name ?? null,
          })),
        },
      }),
      by: by ? normalizeAddress(by) : null,
      at,
    };
  },
};

const VALIDATE = Object.fromEntries(
  Object.entries(SCHEMAS).map(([kind, schema]) => [kind, compileValidator(schema, 'body')]),
) as Record<Kind, ReturnType<typeof compileValidator>>;

const isKind = (kind: unknown): kind is Kind => typeof kind === 'string' && Object.hasOwn(SCHEMAS, kind);

/**
 * Converts one signal, or returns its errors. @param pointer JSON pointer to the signal @param receivedAt for signals
 * without a time
 */
export function readSignal(
  given: unknown,
  pointer: string,
  receivedAt: Date,
): { signal: Signal } | { errors: FieldError[] } {
  const { signal: kind, at, external_id, client_id } = (given ?? {}) as Record<string, unknown>;
  if (!isKind(kind)) {
    const detail = `must be one of: ${Object.keys(SCHEMAS).join(', ')}`;
    return { errors: [{ pointer: `${pointer}/signal`, code: 'invalid_value', detail }] };
  }
  const valid = VALIDATE[kind](given);
  if ('error' in valid)
    return { errors: valid.error.errors.map((error) => ({ ...error, pointer: pointer + error.pointer })) };
  if ((kind === 'receipt' || kind === 'reaction') && !external_id && !client_id)
    return {
      errors: [{ pointer: `${pointer}/external_id`, code: 'required', detail: 'or client_id is required' }],
    };
  try {
    const convert = CONVERT[kind] as (one: unknown, time: Date) => Signal;
    return { signal: convert(given, typeof at === 'string' ? new Date(at) : receivedAt) };
  } catch (error) {
    if (!(error instanceof InvalidAddressError)) throw error;
    return { errors: [{ pointer, code: 'invalid_address', detail: `an address ${error.message}` }] };
  }
}
