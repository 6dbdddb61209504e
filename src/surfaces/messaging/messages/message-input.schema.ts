/** Inputs to send, change, forward and find messages. */
import Type, { type Static, type TOptional, type TUnsafe } from 'typebox';
import {
  createdFilters,
  Enum,
  Id,
  ListQuery,
  Metadata,
  Nullable,
  Strict,
  Timestamp,
} from '../../../platform/http/schema.ts';
import { MESSAGE_TYPES, type MessageType } from '../../../channels/contract/capabilities.ts';
import { CONTENT } from './message-content.ts';
import { DIRECTIONS } from './message.schema.ts';
import { MESSAGE_STATUSES } from './message-status.ts';

const contentInputs = Object.fromEntries(
  MESSAGE_TYPES.map((type) => [type, Type.Optional(CONTENT[type].input)]),
) as unknown as Record<MessageType, TOptional<TUnsafe>>;

/** Whom a message goes to: exactly one of the four, which the service sees to. */
const recipientFields = {
  to: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1000,
      description: "An address, in any way of writing it that the channel knows: a contact's, or a group's.",
      examples: ['alice'],
    }),
  ),
  contact_id: Type.Optional(
    Id('contact', 'In the place of `to`: a contact that the instance has an address of.'),
  ),
  chat_id: Type.Optional(Id('chat', 'In the place of `to`: a chat of the instance.')),
  group_id: Type.Optional(Id('group', 'In the place of `to`: a group that the instance is in.')),
};

const ShortenLinks = Type.Optional(
  Type.Boolean({
    default: false,
    description:
      'Each http or https URL in the text or caption becomes a tracked short link, made for this message, at most 50; one that no link may lead to stays. Needs the scope `links:create` or `links:write` too.',
    examples: [false],
  }),
);

export const SendMessage = Strict({
  instance_id: Id('instance', 'The instance that sends it.'),
  ...recipientFields,
  type: Enum(MESSAGE_TYPES, {
    description: 'What it is. Its content stands under this name.',
    examples: ['text'],
  }),
  ...contentInputs,
  subject: Type.Optional(
    Nullable(Type.String({ minLength: 1, maxLength: 998, pattern: '^[^\\r\\n]*\\S[^\\r\\n]*$' }), {
      description:
        'On channels with threads: with `to` or `contact_id` and no `reply_to` it begins a new one. Without it the newest thread with the address goes on.',
      examples: ['Your order'],
    }),
  ),
  reply_to: Type.Optional(
    Nullable(Id('message'), {
      description: 'A message of the same chat that it answers.',
      examples: ['msg_01h2xcejqtf2nbrexx3vqjhp41'],
    }),
  ),
  mentions: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 1000 }), {
      maxItems: 50,
      description: 'Addresses that are mentioned.',
      examples: [['alice']],
    }),
  ),
  scheduled_at: Type.Optional(
    Nullable(Timestamp('When it is to be sent'), {
      description: 'When to send the message, up to a year ahead. A time in the past means immediately.',
      examples: ['2026-01-15T09:30:00.000Z'],
    }),
  ),
  shorten_links: ShortenLinks,
  metadata: Type.Optional(Metadata),
});

const Text = (description: string) =>
  Type.String({ minLength: 1, maxLength: 65_536, pattern: '\\S', description, examples: ['Hi Alice!'] });
const Captioned = (type: MessageType) =>
  Type.Optional(
    Strict(
      { caption: Text('Text that goes with the file.') },
      { description: `The new caption, where the type is ${type}.` },
    ),
  );

export const UpdateMessage = Strict({
  text: Type.Optional(
    Strict({ body: Text('The text.') }, { description: 'The new text, where the type is text.' }),
  ),
  image: Captioned('image'),
  video: Captioned('video'),
  audio: Captioned('audio'),
  document: Captioned('document'),
  scheduled_at: Type.Optional(
    Nullable(Timestamp('When it is to be sent'), {
      description: 'Of one that is scheduled: when it is to be sent; null for now.',
      examples: ['2026-01-15T09:30:00.000Z'],
    }),
  ),
  metadata: Type.Optional(Metadata),
});

export const ForwardMessage = Strict({
  instance_id: Type.Optional(
    Id('instance', 'The instance that sends it; default: that of the message. Not needed with `chat_id`.'),
  ),
  ...recipientFields,
  shorten_links: ShortenLinks,
  metadata: Type.Optional(Metadata),
});

export const ReactToMessage = Strict({
  emoji: Type.String({
    minLength: 1,
    maxLength: 32,
    pattern: '^\\S+$',
    description: 'One emoji. It replaces the reaction that the instance gave before.',
    examples: ['👍'],
  }),
});

export const MessageList = ListQuery({
  instance_id: Type.Optional(Id('instance', 'Only messages of this instance.')),
  chat_id: Type.Optional(Id('chat', 'Only messages of this chat.')),
  contact_id: Type.Optional(Id('contact', 'Only messages of direct chats with this contact.')),
  direction: Type.Optional(
    Enum(DIRECTIONS, { description: 'Only what came, or what goes.', examples: ['inbound'] }),
  ),
  status: Type.Optional(
    Enum(MESSAGE_STATUSES, { description: 'Only those in this status.', examples: ['failed'] }),
  ),
  type: Type.Optional(Enum(MESSAGE_TYPES, { description: 'Only of this type.', examples: ['text'] })),
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'Only those that have all these words in their text, caption, subject or names; the last may be the beginning of one.',
      examples: ['order on its w'],
    }),
  ),
  ...createdFilters,
});

export type SendMessageBody = Static<typeof SendMessage>;
export type UpdateMessageBody = Static<typeof UpdateMessage>;
export type ForwardMessageBody = Static<typeof ForwardMessage>;
