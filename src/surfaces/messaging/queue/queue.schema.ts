/** The queue of an instance, as returned by the API. */
import Type, { type Static } from 'typebox';
import { Enum, ListQuery, Nullable, Timestamp } from '../../../platform/http/schema.ts';
import { Id } from '../../../core/api/id-schema.ts';
import { ACTIONS } from '../records/queue-row.store.ts';

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
    message_id: Nullable(Id('message'), {
      description: 'ID of the message, if any.',
    }),
    chat_id: Nullable(Id('chat', 'Its chat.'), {
      description: 'ID of the chat. Operations of a chat run in order.',
    }),
    position: Type.Integer({
      description: 'Position in the queue, in the order of queueing.',
      examples: [12],
    }),
    state: Enum(QUEUE_STATES, {
      description:
        '`waiting` for an earlier operation of the chat, `due`, `sending`, or `retrying` at `due_at`.',
      examples: ['waiting'],
    }),
    attempts: Type.Integer({ description: 'Number of attempts.', examples: [0] }),
    due_at: Nullable(Timestamp('When it is due.'), {
      description: 'When it is due; null while waiting for an earlier operation.',
    }),
    expires_at: Timestamp('When it expires and fails with `expired`.'),
    last_error: Nullable(
      Type.Object({
        code: Type.String({ description: 'Stable error code.', examples: ['busy'] }),
        detail: Type.String({
          description: 'Explanation of the error.',
          examples: ['The server asked to try again later.'],
        }),
      }),
      { description: 'Error of the last attempt.', examples: [null] },
    ),
    created_at: Timestamp('When it was queued.'),
  },
  { title: 'QueueEntry' },
);

export const QueueList = ListQuery({});

export type QueueEntryObject = Static<typeof QueueEntry>;
