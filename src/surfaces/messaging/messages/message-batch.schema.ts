/** Many messages in one call, each with a result of its own. */
import Type, { type Static } from 'typebox';
import { BatchProblem } from '../../../platform/http/item-problem.schema.ts';
import { Nullable, Strict } from '../../../platform/http/schema.ts';
import { SendMessage } from './message-input.schema.ts';
import { Message } from '../records/message.schema.ts';

const MAX_IN_BATCH = 1_000;

export const SendMessages = Strict({
  messages: Type.Array(
    // An invalid item only fails itself: its result contains the problem.
    Type.Unsafe<unknown>({
      anyOf: [SendMessage, { description: 'Invalid items have an error as their result.' }],
    }),
    {
      minItems: 1,
      maxItems: MAX_IN_BATCH,
      description: 'Up to 1,000 messages, each as in `POST /messages`.',
      examples: [
        [
          {
            instance_id: 'ins_01h2xcejqtf2nbrexx3vqjhp41',
            to: 'alice',
            type: 'text',
            text: { body: 'Hi Alice!' },
          },
        ],
      ],
    },
  ),
});

export const MessageBatch = Type.Object(
  {
    object: Type.Literal('message_batch', {
      description: 'The type of the object.',
      examples: ['message_batch'],
    }),
    accepted: Type.Integer({ description: 'Number of accepted items.', examples: [1] }),
    refused: Type.Integer({ description: 'Number of rejected items.', examples: [0] }),
    results: Type.Array(
      Type.Object(
        {
          index: Type.Integer({ description: 'Position of the item in the request, from 0.', examples: [0] }),
          message: Nullable(Message, { description: 'The message; null if it was rejected.' }),
          problem: Nullable(BatchProblem, { description: 'Why it was rejected.', examples: [null] }),
        },
        { title: 'MessageBatchResult' },
      ),
      { description: 'One result for each message, in request order.' },
    ),
  },
  { title: 'MessageBatch' },
);

export type MessageBatchObject = Static<typeof MessageBatch>;
