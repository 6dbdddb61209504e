/** Messages as the API shows them. */
import Type, { type Static, type TUnsafe } from 'typebox';
import { Enum, Metadata, Nullable, timeFields, Timestamp } from '../../../platform/http/schema.ts';
import { Id, objectFields } from '../../../core/api/id-schema.ts';
import { MESSAGE_TYPES, type MessageType } from '../../../channels/contract/capabilities.ts';
import { AUTOMATIC } from '../../../channels/contract/signal.ts';
import { ChannelDataSchema } from './message-channel-data.ts';
import { CONTENT } from './message-content.ts';
import { MESSAGE_STATUSES } from './message-status.ts';

export const DIRECTIONS = ['inbound', 'outbound'] as const;
export const SOURCES = ['api', 'console', 'rule', 'publishing', 'channel'] as const;
export const PENDING_ACTIONS = ['edit', 'revoke', 'react', 'pin', 'unpin', 'read'] as const;
export const CHAT_KINDS = ['direct', 'group'] as const;

const Status = Enum(MESSAGE_STATUSES, {
  description:
    'Outbound: `scheduled`, `queued`, `sending`, `sent`, `delivered`, `read`, or `failed`, `canceled`. Inbound: `received`, `read`. A status only moves forward.',
  examples: ['queued'],
});

const Address = (description: string) => Type.String({ description, examples: ['alice'] });

const contentFields = Object.fromEntries(
  MESSAGE_TYPES.map((type) => [
    type,
    Nullable(CONTENT[type].shown, {
      description: `Content of a message of type \`${type}\`; null for others.`,
      examples: [type === 'text' ? { body: 'Hi Alice, your order is on its way.' } : null],
    }),
  ]),
) as unknown as Record<MessageType, TUnsafe>;

export const Message = Type.Object(
  {
    ...objectFields('message', 'message'),
    instance_id: Id('instance', 'The instance that sent or received the message.'),
    direction: Enum(DIRECTIONS, {
      description: 'Whether the message was received (`inbound`) or sent (`outbound`).',
      examples: ['outbound'],
    }),
    source: Enum(SOURCES, {
      description:
        'Origin of the message. `channel`: received from the channel; an `outbound` message from the channel was sent by the same account on another device.',
      examples: ['api'],
    }),
    chat: Type.Object(
      {
        id: Id('chat', 'The chat of the message.'),
        kind: Enum(CHAT_KINDS, {
          description: 'Whether the chat is with one contact or a group.',
          examples: ['direct'],
        }),
      },
      { title: 'MessageChat', description: 'The chat of the message.' },
    ),
    from: Nullable(Address('Address of the sender.'), {
      description: 'Address of the sender; null until known.',
      examples: ['support'],
    }),
    to: Nullable(Address('Address of the recipient.'), {
      description: 'Address of the recipient, in the format of the channel: a contact or a group.',
      examples: ['alice'],
    }),
    contact_id: Nullable(Id('contact', 'The contact of a direct chat; in a group, the sender.'), {
      description: 'The contact of a direct chat; in a group, the sender.',
      examples: ['con_01h2xcejqtf2nbrexx3vqjhp41'],
    }),
    type: Enum(MESSAGE_TYPES, {
      description: 'Type of the message. The field with this name contains the content.',
      examples: ['text'],
    }),
    ...contentFields,
    subject: Nullable(Type.String(), {
      description: 'Subject of the thread, on channels with threads.',
      examples: [null],
    }),
    thread_id: Nullable(Type.String(), {
      description:
        "The channel's ID of the thread within the chat that the message is in, on channels with `thread_ids`; null for none.",
      examples: [null],
    }),
    reply_to: Nullable(Id('message'), {
      description: 'The message that this message replies to.',
      examples: [null],
    }),
    mentions: Type.Array(Address('An address.'), { description: 'Mentioned addresses.', examples: [[]] }),
    automatic: Nullable(Enum(AUTOMATIC), {
      description:
        'Set on inbound messages that no person wrote, if the channel says so: an automatic reply, a program, a mailing list. A bot that replies to these creates a loop.',
      examples: [null],
    }),
    channel_data: ChannelDataSchema,
    reactions: Type.Array(
      Type.Object(
        {
          emoji: Type.String({ description: 'The emoji.', examples: ['👍'] }),
          from: Address('Address of the person who reacted.'),
          from_me: Type.Boolean({ description: 'Whether the instance itself reacted.', examples: [false] }),
          created_at: Timestamp('When the reaction was set.'),
        },
        { title: 'MessageReaction' },
      ),
      {
        description:
          'The reactions of the first 100 senders. On channels where a sender can set several, each is an entry.',
        examples: [[]],
      },
    ),
    pinned: Type.Boolean({
      description:
        'Whether the message is pinned in its chat, as far as known: channels may not report what others unpin.',
      examples: [false],
    }),
    status: Status,
    status_history: Type.Array(
      Type.Object(
        {
          status: Status,
          at: Timestamp('When the message reached this status.'),
          pricing: Nullable(
            Type.Object({
              category: Type.String({
                description: 'Pricing category of the channel.',
                examples: ['utility'],
              }),
              billable: Type.Boolean({
                description: 'Whether the channel charges for the message.',
                examples: [true],
              }),
            }),
            {
              description: 'What the channel charges, if it reported that with this status.',
              examples: [null],
            },
          ),
        },
        { title: 'MessageStatusEntry' },
      ),
      { description: 'All statuses of the message, oldest first.' },
    ),
    error: Nullable(
      Type.Object(
        {
          code: Type.String({ description: 'Stable error code.', examples: ['recipient_unknown'] }),
          title: Type.String({
            description: 'A short explanation.',
            examples: ['Recipient unknown'],
          }),
          detail: Type.String({
            description: 'A detailed explanation.',
            examples: ['The mailbox does not exist.'],
          }),
          retryable: Type.Boolean({ description: 'Whether a retry may succeed.', examples: [false] }),
        },
        { title: 'MessageError' },
      ),
      { description: 'Why the message failed.', examples: [null] },
    ),
    pending_action: Nullable(Enum(PENDING_ACTIONS), {
      description: 'The requested change that the channel has not confirmed yet.',
      examples: [null],
    }),
    action_error: Nullable(
      Type.Object(
        {
          action: Enum(PENDING_ACTIONS, { description: 'The requested change.', examples: ['edit'] }),
          code: Type.String({ description: 'Stable error code.', examples: ['too_late'] }),
          detail: Type.String({ description: 'A short explanation.', examples: ['It is older than a day.'] }),
          at: Timestamp('When the error occurred.'),
        },
        { title: 'MessageActionError' },
      ),
      { description: 'Error of the last edit, revocation, reaction, pin or receipt.', examples: [null] },
    ),
    external_id: Nullable(Type.String(), {
      description: 'ID of the message on the channel; null until known.',
      examples: ['3EB0C767D097B7C7C030'],
    }),
    sequence: Type.Integer({
      description: 'Sequence number, without gaps per instance, for inbound and outbound messages.',
      examples: [17],
    }),
    scheduled_at: Nullable(Timestamp('When the message is scheduled to be sent.'), { examples: [null] }),
    sent_at: Nullable(
      Timestamp(
        'When the channel accepted the message. If the channel reported only its delivery, the time of that. For inbound messages, when it was written.',
      ),
      {
        examples: [null],
      },
    ),
    delivered_at: Nullable(Timestamp('When it was delivered.'), { examples: [null] }),
    read_at: Nullable(Timestamp('When it was read.'), { examples: [null] }),
    edited_at: Nullable(Timestamp('When the text was last edited.'), { examples: [null] }),
    deleted_at: Nullable(Timestamp('When the message was revoked. Its content is removed.'), {
      examples: [null],
    }),
    metadata: Metadata,
    created_by: Nullable(Type.String(), {
      description: 'ID of the API key or user that sent the message; null for messages from the channel.',
      examples: ['key_01h2xcejqtf2nbrexx3vqjhp41'],
    }),
    ...timeFields,
    updated_at: Timestamp(
      'When the message last changed in any way, such as its status or reactions. `edited_at` only covers edits.',
    ),
  },
  { title: 'Message' },
);

export type MessageObject = Static<typeof Message>;
export type MessageDirection = (typeof DIRECTIONS)[number];
export type MessageSource = (typeof SOURCES)[number];
export type PendingAction = (typeof PENDING_ACTIONS)[number];
