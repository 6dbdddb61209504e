/** API schemas of chats. */
import Type, { type Static } from 'typebox';
import {
  createdFilters,
  Enum,
  ListQuery,
  Metadata,
  Nullable,
  Strict,
  timeFields,
  Timestamp,
} from '../../../platform/http/schema.ts';
import { exampleId, Id, objectFields } from '../../../core/api/id-schema.ts';
import { MESSAGE_TYPES } from '../../../channels/contract/capabilities.ts';
import { CHAT_KINDS, DIRECTIONS } from '../records/message.schema.ts';
import { MESSAGE_STATUSES } from '../records/message-status.ts';

const Title = Type.String({
  minLength: 1,
  maxLength: 998,
  pattern: '\\S',
  description: 'Your title, or else the name of the group or the subject of the thread.',
  examples: ['Your order'],
});

export const Chat = Type.Object(
  {
    ...objectFields('chat', 'chat'),
    instance_id: Id('instance', 'The instance of the chat.'),
    kind: Enum(CHAT_KINDS, {
      description: 'Whether the chat is with one contact or a group.',
      examples: ['direct'],
    }),
    address: Type.String({
      description: 'Address of the contact or group, in the format of the channel.',
      examples: ['alice'],
    }),
    title: Nullable(Title),
    contact_id: Nullable(Id('contact'), {
      description: 'The contact of a direct chat.',
      examples: [exampleId('contact')],
    }),
    contact_name: Nullable(Type.String(), {
      description: 'Name of the contact: your name for it, or else the name on the channel.',
      examples: ['Alice Meyer'],
    }),
    group_id: Nullable(Id('group'), { description: 'The group of a group chat.', examples: [null] }),
    last_message: Nullable(
      Type.Object(
        {
          id: Id('message'),
          direction: Enum(DIRECTIONS, { description: 'Direction of the message.', examples: ['outbound'] }),
          from: Nullable(Type.String(), {
            description: 'Address of the sender; null until known.',
            examples: ['support'],
          }),
          from_name: Nullable(Type.String(), {
            description: 'Name of the sender, for inbound messages.',
            examples: [null],
          }),
          type: Enum(MESSAGE_TYPES, { description: 'Type of the message.', examples: ['text'] }),
          preview: Nullable(Type.String(), {
            description: 'The first 200 characters of the text or caption.',
            examples: ['Hi Alice, your order is on its way.'],
          }),
          status: Enum(MESSAGE_STATUSES, { description: 'Status of the message.', examples: ['sent'] }),
          created_at: Timestamp('When it was created.'),
        },
        { title: 'ChatLastMessage' },
      ),
      {
        description:
          'The latest message; null if all messages are scheduled, without `messages:read`, and in events.',
      },
    ),
    last_message_at: Nullable(
      Timestamp('When the latest message was created. Chats are sorted by this time.'),
    ),
    unread: Type.Integer({
      description: 'Number of inbound messages that are not marked as read.',
      examples: [0],
    }),
    archived: Type.Boolean({ description: 'Whether the chat is archived.', examples: [false] }),
    muted: Type.Boolean({ description: 'Whether the chat is muted.', examples: [false] }),
    muted_until: Nullable(Timestamp('When the mute ends.'), {
      description: 'When the mute ends; null if the chat is muted indefinitely or not muted.',
      examples: [null],
    }),
    metadata: Metadata,
    ...timeFields,
  },
  { title: 'Chat' },
);

export const UpdateChat = Strict({
  title: Type.Optional(
    Nullable(Title, { description: 'Your title for the chat; null to use the title from the channel.' }),
  ),
  archived: Type.Optional(Type.Boolean({ description: 'Whether the chat is archived.', examples: [true] })),
  muted: Type.Optional(Type.Boolean({ description: 'Whether the chat is muted.', examples: [true] })),
  muted_until: Type.Optional(
    Nullable(Timestamp('When the mute ends.'), {
      description: 'Mutes the chat until this time; null unmutes it. Set either `muted_until` or `muted`.',
      examples: ['2026-01-15T09:30:00.000Z'],
    }),
  ),
  metadata: Type.Optional(Metadata),
});

export const TypingBody = Strict({
  is_typing: Type.Optional(
    Type.Boolean({ default: true, description: 'Whether typing is in progress.', examples: [true] }),
  ),
});

export const ChatList = ListQuery({
  instance_id: Type.Optional(Id('instance', 'Only chats of this instance.')),
  contact_id: Type.Optional(Id('contact', 'Only direct chats with this contact.')),
  kind: Type.Optional(Enum(CHAT_KINDS, { description: 'Only chats of this kind.', examples: ['direct'] })),
  archived: Type.Optional(
    Type.Boolean({ description: 'Only chats that are (or are not) archived.', examples: [false] }),
  ),
  unread: Type.Optional(
    Type.Boolean({ description: 'Only chats with (or without) unread messages.', examples: [true] }),
  ),
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Only chats whose title, address or contact name contains this text, ignoring case.',
      examples: ['alice'],
    }),
  ),
  ...createdFilters,
});

export const ChatMessages = ListQuery({
  order: Type.Optional(
    Enum(['desc', 'asc'], {
      default: 'desc',
      description: 'Order: newest first (`desc`) or oldest first (`asc`).',
      examples: ['asc'],
    }),
  ),
  ...createdFilters,
});

export type ChatObject = Static<typeof Chat>;
export type UpdateChatBody = Static<typeof UpdateChat>;
