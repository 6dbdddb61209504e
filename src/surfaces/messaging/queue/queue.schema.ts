/** The queue of an instance, as returned by the API. */
import Type, { type Static } from 'typebox';
import { Enum, Id, ListQuery, Nullable, Timestamp } from '../../../platform/http/schema.ts';
import { ACTIONS } from './queue-row.store.ts';

/**
 * `waiting`: for an earlier one of its chat, or for the connection; `due`: it goes next; `sending`: under way;
 * `retrying`: it was tried, and is tried again.
 */
const QUEUE_STATES = ['waiting', 'due', 'sending', 'retrying'] as const;

export const QueueEntry = Type.Object(
  {
    object: Type.Literal('queue_entry', {
      description: 'The type of the object.',
      examples: ['queue_entry'],
    }),
    action: Enum(ACTIONS, {
      description: 'The operation: `send` the message, or a change of a sent message.',
      examples: ['send'],
    }),
    message_id: Nullable(Id('message', 'The message that it is about.'), {
      description: 'The message that it is about; null where it is about none.',
    }),
    chat_id: Nullable(Id('chat', 'Its chat.'), {
      description: 'Its chat: the work of a chat is done in order.',
    }),
    position: Type.Integer({
      description: 'Its place in the queue; lower ones were queued before.',
      examples: [12],
    }),
    state: Enum(QUEUE_STATES, {
      description:
        '`waiting` for an earlier one of its chat, `due` as soon as the connection and its pace allow, `sending`, or `retrying` at `due_at`.',
      examples: ['waiting'],
    }),
    attempts: Type.Integer({ description: 'How often it was given to the channel.', examples: [0] }),
    due_at: Nullable(Timestamp('From when it may go.'), {
      description: 'From when it may go; null while it waits for another.',
    }),
    expires_at: Timestamp('When it fails as `expired` if it was not done.'),
    last_error: Nullable(
      Type.Object({
        code: Type.String({ description: 'A stable word.', examples: ['busy'] }),
        detail: Type.String({
          description: 'For people.',
          examples: ['The server asked to try again later.'],
        }),
      }),
      { description: 'Why the last try did not do it.', examples: [null] },
    ),
    created_at: Timestamp('When it was queued.'),
  },
  { title: 'QueueEntry' },
);

export const QueueList = ListQuery({});

export type QueueEntryObject = Static<typeof QueueEntry>;
