/** Event types of messages. They contain the message as the API shows it. */
import Type from 'typebox';
import { type EventKind, eventKind } from '../../../core/events/event-kind.ts';
import { Nullable } from '../../../platform/http/schema.ts';
import { Message } from '../records/message.schema.ts';

const AT = '2026-01-15T09:30:00.000Z';
const history = (...statuses: string[]) => ({
  status: statuses.at(-1),
  status_history: statuses.map((status) => ({ status, at: AT, pricing: null })),
});
const NOT_YET = {
  from: 'support',
  external_id: null,
  scheduled_at: null,
  sent_at: null,
  delivered_at: null,
  read_at: null,
  edited_at: null,
  deleted_at: null,
};
const sent = { ...NOT_YET, external_id: '3EB0C767D097B7C7C030', sent_at: AT };
const received = {
  ...sent,
  ...history('received'),
  direction: 'inbound',
  source: 'channel',
  from: 'alice',
  to: 'support',
  text: { body: 'When will it come?' },
  created_by: null,
};

const reacted = eventKind({
  object: Message,
  description: 'A reaction to a message was added, replaced or removed (`emoji` is null).',
  sample: { ...sent, ...history('queued', 'sending', 'sent') },
});

/** `data.reaction` beside the object. */
const reaction: EventKind = {
  ...reacted,
  data: Type.Object({
    ...(reacted.data as ReturnType<typeof Type.Object>).properties,
    reaction: Type.Object(
      {
        emoji: Nullable(Type.String(), {
          description: 'The emoji; null if the reaction was removed.',
          examples: ['👍'],
        }),
        from: Type.String({ description: 'Address of the person who reacted.', examples: ['alice'] }),
        from_me: Type.Boolean({ description: 'Whether the instance itself reacted.', examples: [false] }),
      },
      { description: 'The reaction that changed.' },
    ),
  }),
  sample: Object.assign({}, reacted.sample, { reaction: { emoji: '👍', from: 'alice', from_me: false } }),
};

export const messageEvents = {
  'message.scheduled': eventKind({
    object: Message,
    description: 'A message was scheduled.',
    sample: { ...NOT_YET, ...history('scheduled'), scheduled_at: '2026-01-16T09:30:00.000Z' },
  }),
  'message.queued': eventKind({
    object: Message,
    description: 'A message was queued for sending, immediately or because its scheduled time was reached.',
    sample: { ...NOT_YET, ...history('queued') },
  }),
  'message.sent': eventKind({
    object: Message,
    description:
      'The channel accepted a message, or the account sent one from another device (`source` is `channel`).',
    sample: { ...sent, ...history('queued', 'sending', 'sent') },
  }),
  'message.delivered': eventKind({
    object: Message,
    description: 'A message was delivered to its recipient.',
    sample: { ...sent, ...history('queued', 'sending', 'sent', 'delivered'), delivered_at: AT },
  }),
  'message.read': eventKind({
    object: Message,
    description:
      'A sent message was read by its recipient, or a received message was marked as read in Fairlead.',
    sample: {
      ...sent,
      ...history('queued', 'sending', 'sent', 'delivered', 'read'),
      delivered_at: AT,
      read_at: AT,
    },
  }),
  'message.failed': eventKind({
    object: Message,
    description: 'A message could not be sent, or it bounced.',
    sample: {
      ...NOT_YET,
      ...history('queued', 'sending', 'failed'),
      error: {
        code: 'recipient_unknown',
        title: 'Recipient unknown',
        detail: 'The mailbox does not exist.',
        retryable: false,
      },
    },
  }),
  'message.canceled': eventKind({
    object: Message,
    description: 'A message was canceled before it was sent.',
    sample: { ...NOT_YET, ...history('queued', 'canceled') },
  }),
  'message.received': eventKind({
    object: Message,
    description: 'A message was received. Not sent for messages that the account itself sent.',
    sample: received,
  }),
  'message.edited': eventKind({
    object: Message,
    description:
      'The text of a message was edited by either side, the schedule or metadata of one of your messages changed, or a message was pinned or unpinned (`pinned`).',
    previous: { text: { body: 'Hi Alice' } },
    sample: { ...sent, ...history('queued', 'sending', 'sent'), edited_at: AT },
  }),
  'message.deleted': eventKind({
    object: Message,
    description: 'A message was deleted for everyone; its content was removed.',
    sample: { ...sent, ...history('queued', 'sending', 'sent'), text: null, deleted_at: AT },
  }),
  'message.reaction': reaction,
};
