/** Operations on messages that are there. */
import { requireUuid } from '../../../core/vocabulary/ids.ts';
import { type Operation, operation } from '../../../core/api/operation.ts';
import { IdParams } from '../../../core/api/id-schema.ts';
import { markMessageRead } from '../chats/chat-read.service.ts';
import type { ChangeDeps, Changed } from './message-change.ts';
import { pinMessage } from './message-pin.service.ts';
import { reactToMessage } from './message-reaction.service.ts';
import { ReactToMessage, UpdateMessage } from './message-input.schema.ts';
import { Message } from '../records/message.schema.ts';
import { updateMessage } from './message-update.service.ts';
import { cancelMessage, deleteMessage } from './message-withdraw.service.ts';

export interface MessageChangeDeps extends ChangeDeps {
  /** Tells who sends that there is something to do: a hint. */
  wakeSender: (instanceIds: readonly string[]) => void;
}

const DONE = { status: 200, description: 'The updated message.', schema: Message } as const;
const ASKED = {
  status: 202,
  description: 'The request was sent to the channel. `pending_action` is set until the channel confirms it.',
  schema: Message,
} as const;
const ERRORS = [
  'conflict',
  'instance_disconnected',
  'not_in_group',
  'unsupported_by_channel',
  'unprocessable',
] as const;

const about = { tag: 'Messages', access: 'messages:write', params: IdParams('message') } as const;

export const messageChangeOperations = (deps: MessageChangeDeps): Operation[] => {
  const answer = (unit: { afterCommit: (action: () => void) => void }, changed: Changed) => {
    const { message, version, isPending } = changed;
    if (isPending) unit.afterCommit(() => deps.wakeSender([requireUuid('instance', message.instance_id)]));
    return { body: message, version, status: isPending ? 202 : 200 };
  };

  return [
    operation(
      {
        ...about,
        id: 'messages.update',
        method: 'PATCH',
        path: '/messages/{id}',
        summary: 'Edit a message',
        description:
          'A pending message is changed directly. The text of a sent message is changed on the channel, if the channel supports edits and its time limit has not passed.',
        body: UpdateMessage,
        bodyExample: { text: { body: 'Hi Alice, your order has arrived.' } },
        success: DONE,
        otherSuccess: ASKED,
        errors: ERRORS,
        events: ['message.edited'],
        audit: 'message',
      },
      async ({ actor, params, body, unit, ifMatch }) => {
        const id = requireUuid('message', params.id);
        const changed = await updateMessage(unit, deps, actor.workspaceId, id, body, ifMatch);
        return { ...answer(unit, changed), auditDetails: { changed: Object.keys(body) } };
      },
    ),
    operation(
      {
        ...about,
        id: 'messages.delete',
        method: 'DELETE',
        path: '/messages/{id}',
        summary: 'Delete a message for everyone',
        description:
          'A pending message is canceled. A sent message is revoked on the channel, if the channel supports it and its time limit has not passed.',
        success: DONE,
        otherSuccess: ASKED,
        errors: ERRORS,
        events: ['message.canceled', 'message.deleted'],
        audit: 'message',
      },
      async ({ actor, params, unit, ifMatch }) =>
        answer(
          unit,
          await deleteMessage(unit, deps, actor.workspaceId, requireUuid('message', params.id), ifMatch),
        ),
    ),
    operation(
      {
        ...about,
        id: 'messages.cancel',
        method: 'POST',
        path: '/messages/{id}/cancel',
        whenFull: 'goes_on',
        summary: 'Cancel a message',
        description:
          'Cancels a scheduled or queued message. Returns 409 if it is already being sent. Canceling it again has no effect.',
        success: { ...DONE, description: 'The canceled message.' },
        errors: ['conflict'],
        events: ['message.canceled'],
        audit: 'message',
      },
      async ({ actor, params, unit }) =>
        answer(unit, await cancelMessage(unit, actor.workspaceId, requireUuid('message', params.id))),
    ),
    operation(
      {
        ...about,
        id: 'messages.read',
        method: 'POST',
        path: '/messages/{id}/read',
        summary: 'Mark a message as read',
        description:
          'Marks this inbound message and earlier ones in its chat as read, also at the channel if it supports that.',
        success: DONE,
        otherSuccess: ASKED,
        errors: ['unprocessable'],
        events: ['message.read', 'chat.updated'],
      },
      async ({ actor, params, unit }) =>
        answer(unit, await markMessageRead(unit, deps, actor.workspaceId, requireUuid('message', params.id))),
    ),
    operation(
      {
        ...about,
        id: 'messages.react',
        method: 'PUT',
        path: '/messages/{id}/reaction',
        summary: 'React to a message',
        body: ReactToMessage,
        success: ASKED,
        errors: ERRORS,
        events: ['message.reaction'],
      },
      async ({ actor, params, body, unit }) =>
        answer(
          unit,
          await reactToMessage(unit, deps, actor.workspaceId, requireUuid('message', params.id), body.emoji),
        ),
    ),
    operation(
      {
        ...about,
        id: 'messages.unreact',
        method: 'DELETE',
        path: '/messages/{id}/reaction',
        summary: 'Remove a reaction',
        success: ASKED,
        errors: ERRORS,
        events: ['message.reaction'],
      },
      async ({ actor, params, unit }) =>
        answer(
          unit,
          await reactToMessage(unit, deps, actor.workspaceId, requireUuid('message', params.id), null),
        ),
    ),
    operation(
      {
        ...about,
        id: 'messages.pin',
        method: 'PUT',
        path: '/messages/{id}/pin',
        summary: 'Pin a message',
        description:
          'Pins a sent or received message in its chat for everyone, on channels with the capability `pin`. The channel notifies nobody, if it lets Fairlead choose.',
        success: ASKED,
        errors: ERRORS,
        events: ['message.edited'],
        audit: 'message',
      },
      async ({ actor, params, unit }) =>
        answer(
          unit,
          await pinMessage(unit, deps, actor.workspaceId, requireUuid('message', params.id), true),
        ),
    ),
    operation(
      {
        ...about,
        id: 'messages.unpin',
        method: 'DELETE',
        path: '/messages/{id}/pin',
        summary: 'Unpin a message',
        success: ASKED,
        errors: ERRORS,
        events: ['message.edited'],
        audit: 'message',
      },
      async ({ actor, params, unit }) =>
        answer(
          unit,
          await pinMessage(unit, deps, actor.workspaceId, requireUuid('message', params.id), false),
        ),
    ),
  ];
};
