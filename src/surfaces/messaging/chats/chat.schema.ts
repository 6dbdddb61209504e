/** Chats as the API shows them. */
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
import { MESSAGE_TYPES } from '../../../channels/contract/capabilities.ts';
import { CHAT_KINDS, DIRECTIONS } from '../messages/message.schema.ts';
import { MESSAGE_STATUSES } from '../messages/message-status.ts';

const Title = Type.String({
  minLength: 1,
  maxLength: 998,
  pattern: '\\S',
  description: "A group's name or a thread's subject; yours, where you gave one.",
  examples: ['Your order'],
});

export const Chat = Type.Object(
  {
    ...objectFields('chat', 'chat'),
    instance_id: Id('instance', 'The instance whose chat it is.'),
    kind: Enum(CHAT_KINDS, { description: 'With one contact, or a group.', examples: ['direct'] }),
    address: Type.String({
      description: "The other side, as the channel writes it: a contact's address, or a group's.",
      examples: ['alice'],
    }),
    title: Nullable(Title),
    contact_id: Nullable(Id('contact'), {
      description: 'The other side of a direct chat.',
      examples: [exampleId('contact')],
    }),
    contact_name: Nullable(Type.String(), {
      description: 'What that contact is called: the name that you gave, else what the channel says.',
      examples: ['Alice Meyer'],
    }),
    group_id: Nullable(Id('group'), { description: 'The group whose chat it is.', examples: [null] }),
    last_message: Nullable(
      Type.Object(
        {
          id: Id('message'),
          direction: Enum(DIRECTIONS, { description: 'Whether it came or went.', examples: ['outbound'] }),
          from: Nullable(Type.String(), {
            description: 'Who wrote it; null while it is not known.',
            examples: ['support'],
          }),
          from_name: Nullable(Type.String(), {
            description: 'Of one that came: what the contact who wrote it is called.',
            examples: [null],
          }),
          type: Enum(MESSAGE_TYPES, { description: 'What it is.', examples: ['text'] }),
          preview: Nullable(Type.String(), {
            description: 'The first 200 characters of its text or caption.',
            examples: ['Hi Alice, your order is on its way.'],
          }),
          status: Enum(MESSAGE_STATUSES, { description: 'Its status.', examples: ['sent'] }),
          created_at: Timestamp('When it was made.'),
        },
        { title: 'ChatLastMessage' },
      ),
      {
        description:
          'The newest message; null while there is only what is scheduled, for callers without `messages:read`, and in events.',
      },
    ),
    last_message_at: Nullable(Timestamp('When the newest message was made: chats are listed by it.')),
    unread: Type.Integer({ description: 'Messages that came and were not marked as read.', examples: [0] }),
    archived: Type.Boolean({ description: 'Whether it is put away.', examples: [false] }),
    muted: Type.Boolean({ description: 'Whether it is muted now.', examples: [false] }),
    muted_until: Nullable(Timestamp('When it is heard again.'), {
      description: 'When it is heard again; null for never, where `muted` is true.',
      examples: [null],
    }),
    metadata: Metadata,
    ...timeFields,
  },
  { title: 'Chat' },
);

export const UpdateChat = Strict({
  title: Type.Optional(
    Nullable(Title, { description: 'What you call it; null for what the channel says next.' }),
  ),
  archived: Type.Optional(Type.Boolean({ description: 'Whether it is put away.', examples: [true] })),
  muted: Type.Optional(
    Type.Boolean({ description: 'true mutes until you say otherwise; false ends it.', examples: [true] }),
  ),
  muted_until: Type.Optional(
    Nullable(Timestamp('When it is heard again'), {
      description: 'Mutes until this time; null ends it. Either this or `muted`.',
      examples: ['2026-01-15T09:30:00.000Z'],
    }),
  ),
  metadata: Type.Optional(Metadata),
});

export const TypingBody = Strict({
  is_typing: Type.Optional(
    Type.Boolean({ default: true, description: 'false: stopped typing.', examples: [true] }),
  ),
});

export const ChatList = ListQuery({
  instance_id: Type.Optional(Id('instance', 'Only chats of this instance.')),
  contact_id: Type.Optional(Id('contact', 'Only direct chats with this contact.')),
  kind: Type.Optional(Enum(CHAT_KINDS, { description: 'Only of this kind.', examples: ['direct'] })),
  archived: Type.Optional(
    Type.Boolean({ description: 'Only those that are put away, or only the others.', examples: [false] }),
  ),
  unread: Type.Optional(
    Type.Boolean({ description: 'Only those with unread messages, or only the others.', examples: [true] }),
  ),
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Only those whose title, address or contact has this in its name, in any case.',
      examples: ['alice'],
    }),
  ),
  ...createdFilters,
});

export const ChatMessages = ListQuery({
  order: Type.Optional(
    Enum(['desc', 'asc'], {
      default: 'desc',
      description: 'Newest first (`desc`) or oldest first.',
      examples: ['asc'],
    }),
  ),
  ...createdFilters,
});

export type ChatObject = Static<typeof Chat>;
export type UpdateChatBody = Static<typeof UpdateChat>;
