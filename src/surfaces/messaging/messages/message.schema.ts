/** Messages as the API shows them. */
import Type, { type Static, type TUnsafe } from 'typebox';
import {
  Enum,
  Id,
  Metadata,
  Nullable,
  objectFields,
  timeFields,
  Timestamp,
} from '../../../platform/http/schema.ts';
import { MESSAGE_TYPES, type MessageType } from '../../../channels/contract/capabilities.ts';
import { AUTOMATIC } from '../../../channels/contract/signal.ts';
import { CONTENT } from './message-content.ts';
import { MESSAGE_STATUSES } from './message-status.ts';

export const DIRECTIONS = ['inbound', 'outbound'] as const;
export const SOURCES = ['api', 'console', 'rule', 'publishing', 'channel'] as const;
export const PENDING_ACTIONS = ['edit', 'revoke', 'react', 'read'] as const;
export const CHAT_KINDS = ['direct', 'group'] as const;

const Status = Enum(MESSAGE_STATUSES, {
  description:
    'Outbound: `scheduled`, `queued`, `sending`, `sent`, `delivered`, `read`, or `failed`, `canceled`. Inbound: `received`, `read`. It moves forward only.',
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
    instance_id: Id('instance', 'The instance that sends it, or that it came to.'),
    direction: Enum(DIRECTIONS, { description: 'Whether it came or goes.', examples: ['outbound'] }),
    source: Enum(SOURCES, {
      description:
        'What made it. `channel`: it came from there; with direction `outbound` it was written by the same account on another device.',
      examples: ['api'],
    }),
    chat: Type.Object(
      {
        id: Id('chat', 'The chat that it belongs to.'),
        kind: Enum(CHAT_KINDS, { description: 'Whether it is a group.', examples: ['direct'] }),
      },
      { title: 'MessageChat', description: 'The chat that it belongs to.' },
    ),
    from: Nullable(Address('Who wrote it.'), {
      description: 'Who wrote it; null while it is not known.',
      examples: ['support'],
    }),
    to: Nullable(Address('Whom it goes to.'), {
      description: "Whom it goes to, as the channel writes it: a contact's address or a group's.",
      examples: ['alice'],
    }),
    contact_id: Nullable(Id('contact', 'The other side of a direct chat; in a group who wrote it.'), {
      description: 'The other side of a direct chat; in a group who wrote it.',
      examples: ['con_01h2xcejqtf2nbrexx3vqjhp41'],
    }),
    type: Enum(MESSAGE_TYPES, {
      description: 'What it is; its content stands under this name.',
      examples: ['text'],
    }),
    ...contentFields,
    subject: Nullable(Type.String(), {
      description: 'Of the thread, on channels that have such.',
      examples: [null],
    }),
    reply_to: Nullable(Id('message'), { description: 'The message that it answers.', examples: [null] }),
    mentions: Type.Array(Address('An address.'), { description: 'Mentioned addresses.', examples: [[]] }),
    automatic: Nullable(Enum(AUTOMATIC), {
      description:
        'Set on inbound messages that no person wrote, if the channel says so: an automatic reply, a program, a mailing list. A bot that replies to these creates a loop.',
      examples: [null],
    }),
    reactions: Type.Array(
      Type.Object(
        {
          emoji: Type.String({ description: 'The emoji.', examples: ['👍'] }),
          from: Address('Who reacted.'),
          from_me: Type.Boolean({ description: "Whether it is the instance's own.", examples: [false] }),
          created_at: Timestamp('When.'),
        },
        { title: 'MessageReaction' },
      ),
      { description: 'The first 100 reactions to it, one for each who reacted.', examples: [[]] },
    ),
    status: Status,
    status_history: Type.Array(
      Type.Object({ status: Status, at: Timestamp('Since when.') }, { title: 'MessageStatusEntry' }),
      { description: 'Every status that it had, oldest first.' },
    ),
    error: Nullable(
      Type.Object(
        {
          code: Type.String({ description: 'What went wrong.', examples: ['recipient_unknown'] }),
          title: Type.String({
            description: 'The same, short, for people.',
            examples: ['Recipient unknown'],
          }),
          detail: Type.String({
            description: 'The same at length.',
            examples: ['There is no such mailbox.'],
          }),
          retryable: Type.Boolean({ description: 'Whether sending it again may help.', examples: [false] }),
        },
        { title: 'MessageError' },
      ),
      { description: 'Why it failed.', examples: [null] },
    ),
    pending_action: Nullable(Enum(PENDING_ACTIONS), {
      description: 'The requested change that the channel has not made yet.',
      examples: [null],
    }),
    action_error: Nullable(
      Type.Object(
        {
          action: Enum(PENDING_ACTIONS, { description: 'The requested change.', examples: ['edit'] }),
          code: Type.String({ description: 'What went wrong.', examples: ['too_late'] }),
          detail: Type.String({ description: 'The same for people.', examples: ['It is older than a day.'] }),
          at: Timestamp('When.'),
        },
        { title: 'MessageActionError' },
      ),
      { description: 'Why the last edit, revocation, reaction or receipt was not done.', examples: [null] },
    ),
    external_id: Nullable(Type.String(), {
      description: "The channel's own id; null until it is known.",
      examples: ['3EB0C767D097B7C7C030'],
    }),
    sequence: Type.Integer({
      description: 'Contiguous per instance, over what came and what went.',
      examples: [17],
    }),
    scheduled_at: Nullable(Timestamp('When it is to be sent.'), { examples: [null] }),
    sent_at: Nullable(Timestamp('When the channel took it; of what came, when it was written.'), {
      examples: [null],
    }),
    delivered_at: Nullable(Timestamp('When it was delivered.'), { examples: [null] }),
    read_at: Nullable(Timestamp('When it was read.'), { examples: [null] }),
    edited_at: Nullable(Timestamp('When its text was last changed.'), { examples: [null] }),
    deleted_at: Nullable(Timestamp('When it was taken back; its content is gone then.'), {
      examples: [null],
    }),
    metadata: Metadata,
    created_by: Nullable(Type.String(), {
      description: 'Id of the key or person that sent it; null for what the channel told.',
      examples: ['key_01h2xcejqtf2nbrexx3vqjhp41'],
    }),
    ...timeFields,
    updated_at: Timestamp(
      'When anything of it changed last: its status, content, reactions, or what is under way. `edited_at` is for edits alone.',
    ),
  },
  { title: 'Message' },
);

export type MessageObject = Static<typeof Message>;
export type MessageDirection = (typeof DIRECTIONS)[number];
export type MessageSource = (typeof SOURCES)[number];
export type PendingAction = (typeof PENDING_ACTIONS)[number];
