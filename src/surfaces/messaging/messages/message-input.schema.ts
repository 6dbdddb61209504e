/** Inputs to send, change, forward and find messages. */
import Type, { type Static, type TOptional, type TUnsafe } from 'typebox';
import { inWords } from '../../../platform/http/pattern-words.ts';
import {
  createdFilters,
  Enum,
  ListQuery,
  Metadata,
  Nullable,
  Strict,
  Timestamp,
} from '../../../platform/http/schema.ts';
import { Id } from '../../../core/api/id-schema.ts';
import { MESSAGE_TYPES, type MessageType } from '../../../channels/contract/capabilities.ts';
import { CONTENT } from '../records/message-content.ts';
import { DIRECTIONS } from '../records/message.schema.ts';
import { MESSAGE_STATUSES } from '../records/message-status.ts';

const contentInputs = Object.fromEntries(
  MESSAGE_TYPES.map((type) => [type, Type.Optional(CONTENT[type].input)]),
) as unknown as Record<MessageType, TOptional<TUnsafe>>;

/** The recipient of a message. Exactly one of the four is required, which the service validates. */
const recipientFields = {
  to: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1000,
      description: 'Address of a contact or group, in any format that the channel accepts.',
      examples: ['alice'],
    }),
  ),
  contact_id: Type.Optional(Id('contact', 'Instead of `to`: a contact with an address on the instance.')),
  chat_id: Type.Optional(Id('chat', 'Instead of `to`: a chat of the instance.')),
  group_id: Type.Optional(Id('group', 'Instead of `to`: a group that the instance belongs to.')),
};

const MAX_THREAD_ID = 255;
const ThreadId = Type.String({
  minLength: 1,
  maxLength: MAX_THREAD_ID,
  pattern: inWords('^[!-~]+$', 'must be ASCII without spaces'),
  examples: ['45'],
});
const threadField = {
  thread_id: Type.Optional(
    Nullable(ThreadId, {
      description:
        'On channels with `thread_ids`: the thread within the chat, as in `thread_id` of its messages. Defaults to the thread of `reply_to`, else none.',
      examples: ['45'],
    }),
  ),
};

const ShortenLinks = Type.Optional(
  Type.Boolean({
    default: false,
    description:
      'Whether to replace http(s) URLs in the text or caption with tracked short links for this message, at most 50. URLs that are not allowed as a link destination stay unchanged. Also requires the scope `links:create` or `links:write`.',
    examples: [false],
  }),
);

export const SendMessage = Strict(
  {
    instance_id: Id('instance', 'The instance that sends the message.'),
    ...recipientFields,
    type: Enum(MESSAGE_TYPES, {
      description: 'Type of the message. The field with this name contains the content.',
      examples: ['text'],
    }),
    ...contentInputs,
    subject: Type.Optional(
      Nullable(
        Type.String({
          minLength: 1,
          maxLength: 998,
          pattern: inWords('^[^\\r\\n]*\\S[^\\r\\n]*$', 'must be one line and not blank'),
        }),
        {
          description:
            'For channels with threads: the subject. With `to` or `contact_id` and without `reply_to`, it starts a new thread. Without a subject, the message continues the latest thread with the address.',
          examples: ['Your order'],
        },
      ),
    ),
    ...threadField,
    reply_to: Type.Optional(
      Nullable(Id('message'), {
        description: 'ID of a message in the same chat to reply to.',
        examples: ['msg_01h2xcejqtf2nbrexx3vqjhp41'],
      }),
    ),
    mentions: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 1000 }), {
        maxItems: 50,
        description: 'Addresses to mention.',
        examples: [['alice']],
      }),
    ),
    scheduled_at: Type.Optional(
      Nullable(Timestamp('When to send the message.'), {
        description: 'When to send the message, up to a year ahead. A time in the past means immediately.',
        examples: ['2026-01-15T09:30:00.000Z'],
      }),
    ),
    shorten_links: ShortenLinks,
    metadata: Type.Optional(Metadata),
  },
  { title: 'SendMessageRequest' },
);

const Text = (description: string) =>
  Type.String({ minLength: 1, maxLength: 65_536, pattern: '\\S', description, examples: ['Hi Alice!'] });
const Captioned = (type: MessageType) =>
  Type.Optional(
    Strict(
      { caption: Text('Caption of the file.') },
      { description: `The new caption, if the type is \`${type}\`.` },
    ),
  );

export const UpdateMessage = Strict({
  text: Type.Optional(
    Strict({ body: Text('The text.') }, { description: 'The new text, if the type is `text`.' }),
  ),
  image: Captioned('image'),
  video: Captioned('video'),
  audio: Captioned('audio'),
  document: Captioned('document'),
  scheduled_at: Type.Optional(
    Nullable(Timestamp('When to send the message.'), {
      description: 'When to send a scheduled message; null to send it now.',
      examples: ['2026-01-15T09:30:00.000Z'],
    }),
  ),
  metadata: Type.Optional(Metadata),
});

export const ForwardMessage = Strict({
  instance_id: Type.Optional(
    Id(
      'instance',
      'The instance that sends the message. Defaults to the instance of the original message. Not needed with `chat_id`.',
    ),
  ),
  ...recipientFields,
  ...threadField,
  shorten_links: ShortenLinks,
  metadata: Type.Optional(Metadata),
});

export const ReactToMessage = Strict({
  emoji: Type.String({
    minLength: 1,
    maxLength: 32,
    pattern: inWords('^\\S+$', 'must not contain spaces'),
    description: 'Sets one emoji as the reaction of the instance. It replaces the previous reaction.',
    examples: ['👍'],
  }),
});

export const MessageList = ListQuery({
  instance_id: Type.Optional(Id('instance', 'Only messages of this instance.')),
  chat_id: Type.Optional(Id('chat', 'Only messages of this chat.')),
  thread_id: Type.Optional(
    Type.Unsafe<string>({
      ...ThreadId,
      description: 'Only messages of threads with this ID; use it with `chat_id`.',
    }),
  ),
  contact_id: Type.Optional(Id('contact', 'Only messages of direct chats with this contact.')),
  direction: Type.Optional(
    Enum(DIRECTIONS, { description: 'Only inbound or outbound messages.', examples: ['inbound'] }),
  ),
  status: Type.Optional(
    Enum(MESSAGE_STATUSES, { description: 'Only messages with this status.', examples: ['failed'] }),
  ),
  type: Type.Optional(
    Enum(MESSAGE_TYPES, { description: 'Only messages of this type.', examples: ['text'] }),
  ),
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'Only messages with all these words in their text, caption, subject or names. The last word may be incomplete.',
      examples: ['order on its w'],
    }),
  ),
  ...createdFilters,
});

export type SendMessageBody = Static<typeof SendMessage>;
export type UpdateMessageBody = Static<typeof UpdateMessage>;
export type ForwardMessageBody = Static<typeof ForwardMessage>;
