/** Operations on chats. */
import { requireUuid } from '../../../core/vocabulary/ids.ts';
import { type Operation, operation } from '../../../core/api/operation.ts';
import { getPage } from '../../../platform/http/pagination.ts';
import { IdParams } from '../../../core/api/id-schema.ts';
import { toListSchema } from '../../../platform/http/schema.ts';
import type { ChatRef } from '../../../channels/contract/connection.ts';
import type { Drivers } from '../../../channels/contract/driver-registry.ts';
import { Message } from '../records/message.schema.ts';
import { isChatKey } from '../records/chat-key.ts';
import { presentChat } from './chat-present.ts';
import { markChatRead } from './chat-read.service.ts';
import { Chat, ChatList, ChatMessages, TypingBody, UpdateChat } from './chat.schema.ts';
import * as service from './chat.service.ts';

export interface ChatDeps {
  drivers: Drivers;
  /** Notifies the sender that there is work; only a hint. */
  wakeSender: (instanceIds: readonly string[]) => void;
  /** Notifies the channel through the node that holds the connection, if there is one. Never waits, never throws. */
  tellTyping: (instanceId: string, chat: ChatRef, isTyping: boolean) => void;
}

export const chatOperations = (deps: ChatDeps): Operation[] => [
  operation(
    {
      id: 'chats.list',
      method: 'GET',
      path: '/chats',
      tag: 'Chats',
      summary: 'List and search chats',
      access: 'chats:read',
      query: ChatList,
      success: {
        status: 200,
        description: 'A page of chats, most recently active first.',
        schema: toListSchema(Chat),
      },
    },
    async ({ actor, query, unit }) => ({
      body: await service.listChats(unit, actor, getPage(query, isChatKey), {
        instanceId: query.instance_id,
        contactId: query.contact_id,
        kind: query.kind,
        archived: query.archived,
        unread: query.unread,
        text: query.q,
        createdAfter: query.created_after,
        createdBefore: query.created_before,
      }),
    }),
  ),
  operation(
    {
      id: 'chats.get',
      method: 'GET',
      path: '/chats/{id}',
      tag: 'Chats',
      summary: 'Get a chat',
      access: 'chats:read',
      params: IdParams('chat'),
      success: { status: 200, description: 'The chat.', schema: Chat },
    },
    async ({ actor, params, unit }) => {
      const { chat, version } = await service.getChat(unit, actor, requireUuid('chat', params.id));
      return { body: chat, version };
    },
  ),
  operation(
    {
      id: 'chats.update',
      method: 'PATCH',
      path: '/chats/{id}',
      tag: 'Chats',
      summary: 'Update a chat',
      description:
        'Archives, mutes or renames the chat. Omitted fields stay unchanged. Nothing changes at the channel.',
      access: 'chats:write',
      params: IdParams('chat'),
      body: UpdateChat,
      bodyExample: { archived: true },
      success: { status: 200, description: 'The updated chat.', schema: Chat },
      events: ['chat.updated'],
      audit: 'chat',
    },
    async ({ actor, params, body, unit, ifMatch }) => {
      const id = requireUuid('chat', params.id);
      const { chat, version } = await service.updateChat(unit, actor, id, body, ifMatch);
      return { body: chat, version, auditDetails: { changed: Object.keys(body) } };
    },
  ),
  operation(
    {
      id: 'chats.read',
      method: 'POST',
      path: '/chats/{id}/read',
      tag: 'Chats',
      summary: 'Mark a chat as read',
      description: 'Marks all inbound messages as read, also at the channel if it supports that.',
      access: 'chats:write',
      params: IdParams('chat'),
      success: { status: 200, description: 'The chat, without unread messages.', schema: Chat },
      events: ['chat.updated', 'message.read'],
    },
    async ({ actor, params, unit }) => {
      const id = requireUuid('chat', params.id);
      const { chat, isPending } = await markChatRead(unit, deps, actor.workspaceId, id);
      if (isPending) unit.afterCommit(() => deps.wakeSender([chat.instance_id]));
      return { body: presentChat(chat, unit.clock(), actor.scopes), version: chat.version };
    },
  ),
  operation(
    {
      id: 'chats.typing',
      method: 'POST',
      path: '/chats/{id}/typing',
      whenFull: 'goes_on',
      tag: 'Chats',
      summary: 'Send a typing indicator',
      description: 'Sends the indicator immediately if the instance is connected, otherwise drops it.',
      access: 'chats:write',
      params: IdParams('chat'),
      body: TypingBody,
      success: { status: 204, description: 'Accepted.' },
      errors: ['instance_disconnected', 'unsupported_by_channel', 'not_in_group'],
    },
    async ({ actor, params, body, unit }) => {
      const id = requireUuid('chat', params.id);
      const { instanceId, chat } = await service.chatForTyping(unit, deps.drivers, actor.workspaceId, id);
      unit.afterCommit(() => deps.tellTyping(instanceId, chat, body.is_typing ?? true));
      return { body: undefined };
    },
  ),
  operation(
    {
      id: 'chats.messages',
      method: 'GET',
      path: '/chats/{id}/messages',
      tag: 'Chats',
      summary: 'List the messages of a chat',
      access: 'messages:read',
      params: IdParams('chat'),
      query: ChatMessages,
      success: {
        status: 200,
        description: 'A page of messages, in the requested order.',
        schema: toListSchema(Message),
      },
    },
    async ({ actor, params, query, unit }) => ({
      body: await service.listMessagesFor(
        unit,
        actor.workspaceId,
        requireUuid('chat', params.id),
        getPage(query),
        {
          order: query.order ?? 'desc',
          createdAfter: query.created_after,
          createdBefore: query.created_before,
        },
      ),
    }),
  ),
];
