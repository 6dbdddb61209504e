/** Operations that send messages and read them. */
import type { Unit, Units } from '../../../core/unit/unit-of-work.ts';
import { currentTraceparent } from '../../../platform/tracing/tracing.ts';
import { createBatcher } from '../../../core/unit/batcher.ts';
import { requireUuid } from '../../../core/vocabulary/ids.ts';
import { type Operation, operation } from '../../../core/api/operation.ts';
import { getPage } from '../../../platform/http/pagination.ts';
import { Problem, problemBody } from '../../../platform/http/problem.ts';
import { IdParams } from '../../../core/api/id-schema.ts';
import { toListSchema } from '../../../platform/http/schema.ts';
import { type Accepted, type AcceptDeps } from './accept.ts';
import { MessageBatch, type MessageBatchObject, SendMessages } from './message-batch.schema.ts';
import { assertMessageUrlAllowed, findRejectedUrls } from './message-egress.ts';
import { sendReaction } from './message-reaction.service.ts';
import { ForwardMessage, MessageList, SendMessage } from './message-input.schema.ts';
import { Message } from '../records/message.schema.ts';
import * as service from './message.service.ts';

export interface MessageDeps extends AcceptDeps {
  units: Units;
  baseUrl: string;
  /** @throws Problem address_not_allowed */
  assertUrlAllowed: (url: string, pointer: string) => Promise<void>;
  /** Tells who sends that there is something to send: a hint. */
  wakeSender: (instanceIds: readonly string[]) => void;
}

const SENDING_ERRORS = [
  'instance_disconnected',
  'not_in_group',
  'invalid_address',
  'unsupported_by_channel',
  'unprocessable',
] as const;

/** Messages that go into one transaction together. */
const MAX_TOGETHER = 100;

const EXAMPLE = {
  instance_id: 'ins_01h2xcejqtf2nbrexx3vqjhp41',
  to: 'alice',
  type: 'text',
  text: { body: 'Hi Alice, your order is on its way.' },
};

export const messageOperations = (deps: MessageDeps): Operation[] => {
  /** One at a time for each instance: its order is a lock that each transaction holds until its end. */
  const gatherer = createBatcher<service.SendRequest, Accepted>({
    units: deps.units,
    max: MAX_TOGETHER,
    work: (unit, items) => service.sendTogether(unit, deps, items),
  });

  /** Wakes the holder of the connection when a message is due. */
  const wakeFor = (outcomes: readonly (Accepted | Problem)[]): void => {
    const instances = new Set<string>();
    for (const outcome of outcomes)
      if (!(outcome instanceof Problem) && outcome.message.status !== 'scheduled')
        instances.add(requireUuid('instance', outcome.message.instance_id));
    if (instances.size) deps.wakeSender([...instances]);
  };

  return [
    operation(
      {
        id: 'messages.send',
        method: 'POST',
        path: '/messages',
        tag: 'Messages',
        summary: 'Send a message',
        description:
          'Responds once the message is stored durably; messages of a chat are sent in the order of the responses. Unsupported content is rejected before anything is stored.',
        access: 'messages:write',
        body: SendMessage,
        bodyExample: EXAMPLE,
        success: {
          status: 202,
          description:
            'The queued or scheduled message. For the type `reaction`, the message that was reacted to.',
          schema: Message,
        },
        errors: [...SENDING_ERRORS, 'address_not_allowed', 'quota_exceeded', 'conflict'],
        events: [
          'message.queued',
          'message.scheduled',
          'message.reaction',
          'contact.created',
          'link.created',
        ],
        transaction: 'gathered',
      },
      ({ body }) => assertMessageUrlAllowed(deps.assertUrlAllowed, body),
      async ({ actor, body, unit, ensureFresh }) => {
        if (body.type === 'reaction') {
          const work = (own: Unit) => sendReaction(own, deps, actor.workspaceId, body);
          const reacted = ensureFresh ? await deps.units.write(work, ensureFresh) : await work(unit);
          return { body: reacted.message, version: reacted.version };
        }
        const key = `${actor.workspaceId} ${body.instance_id}`;
        const sent = ensureFresh
          ? await gatherer.add(key, { actor, body, traceparent: currentTraceparent() }, ensureFresh)
          : await service.sendMessage(unit, deps, actor, body);
        if (ensureFresh) wakeFor([sent]);
        else unit.afterCommit(() => wakeFor([sent]));
        return { body: sent.message, version: sent.version, created: true };
      },
    ),
    sendBatch(deps, wakeFor),
    operation(
      {
        id: 'messages.list',
        method: 'GET',
        path: '/messages',
        tag: 'Messages',
        summary: 'List and search messages',
        access: 'messages:read',
        query: MessageList,
        success: {
          status: 200,
          description: 'A page of messages, newest first.',
          schema: toListSchema(Message),
        },
      },
      async ({ actor, query, unit }) => ({
        body: await service.listMessages(unit, actor.workspaceId, getPage(query), {
          instanceId: query.instance_id,
          chatId: query.chat_id,
          threadId: query.thread_id,
          contactId: query.contact_id,
          direction: query.direction,
          status: query.status,
          type: query.type,
          q: query.q,
          createdAfter: query.created_after,
          createdBefore: query.created_before,
        }),
      }),
    ),
    operation(
      {
        id: 'messages.get',
        method: 'GET',
        path: '/messages/{id}',
        tag: 'Messages',
        summary: 'Get a message',
        access: 'messages:read',
        params: IdParams('message'),
        success: { status: 200, description: 'The message.', schema: Message },
      },
      async ({ actor, params, unit }) => {
        const id = requireUuid('message', params.id);
        const { message, version } = await service.getMessage(unit, actor.workspaceId, id);
        return { body: message, version };
      },
    ),
    operation(
      {
        id: 'messages.forward',
        method: 'POST',
        path: '/messages/{id}/forward',
        tag: 'Messages',
        summary: 'Forward a message',
        description: 'Sends a new message with the same content.',
        access: 'messages:write',
        alsoNeeds: ['messages:read'],
        params: IdParams('message'),
        body: ForwardMessage,
        bodyExample: { to: 'bob' },
        success: { status: 202, description: 'The new message.', schema: Message },
        errors: [...SENDING_ERRORS, 'conflict'],
        events: ['message.queued', 'contact.created', 'link.created'],
      },
      async ({ actor, params, body, unit }) => {
        const id = requireUuid('message', params.id);
        const sent = await service.forwardMessage(unit, deps, actor, id, body);
        unit.afterCommit(() => wakeFor([sent]));
        return { body: sent.message, version: sent.version };
      },
    ),
  ];
};

function sendBatch(
  deps: MessageDeps,
  wakeFor: (outcomes: readonly (Accepted | Problem)[]) => void,
): Operation {
  return operation(
    {
      id: 'messages.send_batch',
      method: 'POST',
      path: '/messages/batch',
      tag: 'Messages',
      summary: 'Send many messages',
      description:
        'Up to 1,000 messages, each with its own result: an invalid one does not affect the others. All accepted messages are stored together.',
      access: 'messages:write',
      body: SendMessages,
      bodyExample: { messages: [EXAMPLE] },
      success: {
        status: 202,
        description: 'One result for each message, in request order.',
        schema: MessageBatch,
      },
      errors: ['quota_exceeded'],
      events: ['message.queued', 'message.scheduled', 'message.reaction', 'contact.created', 'link.created'],
    },
    ({ body }) => findRejectedUrls(deps.assertUrlAllowed, body.messages),
    async ({ actor, body, unit, request, prepared }) => {
      const outcomes = await service.sendMessages(unit, deps, actor, body.messages, prepared, (item) =>
        sendReaction(unit, deps, actor.workspaceId, item),
      );
      unit.afterCommit(() => wakeFor(outcomes));
      const results = outcomes.map((outcome, index): MessageBatchObject['results'][number] =>
        outcome instanceof Problem
          ? { index, message: null, problem: problemBody(outcome, request.id, deps.baseUrl) }
          : { index, message: outcome.message, problem: null },
      );
      const accepted = results.filter(({ message }) => message !== null).length;
      const batch: MessageBatchObject = {
        object: 'message_batch',
        accepted,
        refused: results.length - accepted,
        results,
      };
      // Of a reaction the answer shows the message that it is for.
      const isReaction = (item: unknown): boolean => (item as { type?: unknown } | null)?.type === 'reaction';
      const created = new Set(
        results.flatMap(({ index, message }) =>
          message && !isReaction(body.messages[index]) ? [message.id] : [],
        ),
      );
      return { body: batch, created };
    },
  );
}
