/**
 * Marks a chat as read up to a message: inbound messages, the unread count, and the channel if it supports that.
 *
 * Lock order: `instance_queues`, chats, messages.
 */
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import { changedFields } from '../../../core/unit/event-writer.ts';
import { notFound, Problem } from '../../../platform/http/problem.ts';
import { can } from '../../../channels/contract/capabilities.ts';
import type { Json } from '../../../channels/contract/json.ts';
import type { Drivers } from '../../../channels/contract/driver-registry.ts';
import { type InstanceState, takesMessages } from '../instances/instance-state.ts';
import { instancesById, type SendingInstance } from '../records/sending-instance.store.ts';
import { isIn } from '../records/group-membership.ts';
import { presentMessage } from '../records/message-present.ts';
import * as messages from '../records/message.store.ts';
import { enqueueAction, lockQueue } from '../records/queue-row.store.ts';
import { presentChatInEvent } from './chat-present.ts';
import * as store from '../records/chat.store.ts';

export interface ReadDeps {
  drivers: Drivers;
}

/** Maximum messages searched for unread ones and marked in one statement. */
const WINDOW = 20_000;
const PART = 500;

/** Marks received messages up to a message. @returns the newest one marked, and their number */
async function markAll(
  unit: Unit,
  chat: store.ChatRow,
  upTo: string | null,
): Promise<{ newest: string | null; count: number }> {
  const { workspace_id: workspaceId, id } = chat;
  const marked = await messages.getUnread(unit.db, workspaceId, id, upTo, {
    limit: Math.min(chat.unread, WINDOW),
    window: WINDOW,
  });
  const now = unit.clock();
  for (let from = 0; from < marked.length; from += PART) {
    const part = marked.slice(from, from + PART);
    await messages.lockMessages(unit.db, workspaceId, part);
    await messages.markRead(unit.db, workspaceId, part, now);
    const rows = await messages.readMessages(unit.db, workspaceId, part);
    await unit.events.writeAll(
      unit,
      rows.map(presentMessage).map((message) => ({
        workspaceId,
        type: 'message.read',
        resourceId: message.id,
        object: message,
      })),
    );
  }
  return { newest: marked[0] ?? null, count: marked.length };
}

const tells = ({ drivers }: ReadDeps, instance: SendingInstance): boolean => {
  const driver = drivers.get(instance.channel);
  return (
    driver !== undefined &&
    takesMessages(instance.state as InstanceState) &&
    can(driver.capabilities(instance.settings as Json), 'read')
  );
};

/**
 * @param upTo null marks all
 * @returns `isPending`: whether the channel has yet to be informed
 * @throws Problem not_found
 */
async function markRead(
  unit: Unit,
  deps: ReadDeps,
  workspaceId: string,
  chatId: string,
  upTo: string | null,
): Promise<{ chat: store.ChatRow; isPending: boolean }> {
  const found = await store.getChat(unit.db, workspaceId, chatId);
  if (!found || !(await lockQueue(unit.db, workspaceId, found.instance_id))) throw notFound('chat');
  const before = (await store.lockChat(unit.db, workspaceId, chatId))!;
  if (before.unread === 0) return { chat: before, isPending: false };
  const { newest, count } = await markAll(unit, before, upTo);
  // Marking all sets it to zero, even if older unread messages lie outside the window; marking up to a message
  // subtracts the marked ones.
  const unread = upTo === null ? 0 : before.unread - count;
  if (unread === before.unread) return { chat: before, isPending: false };
  await store.setUnread(unit.db, workspaceId, chatId, unread);
  const chat = (await store.getChat(unit.db, workspaceId, chatId))!;
  const now = unit.clock();
  const shown = presentChatInEvent(chat, now);
  await unit.events.write(unit, {
    workspaceId,
    type: 'chat.updated',
    resourceId: shown.id,
    object: shown,
    previous: changedFields(presentChatInEvent(before, now), shown),
  });
  const instance = (await instancesById(unit.db, workspaceId, [chat.instance_id])).get(chat.instance_id)!;
  const isTold = newest !== null && tells(deps, instance) && (await isIn(unit.db, workspaceId, chat));
  if (!isTold) return { chat, isPending: false };
  const row = { id: unit.newUuid(), action: 'read' as const, chatId, messageId: newest };
  await enqueueAction(unit.db, workspaceId, instance.id, row, instance.queue_ttl_seconds);
  const columns = { pending_action: 'read', action_error: null };
  await messages.updateMessage(unit.db, workspaceId, newest, columns, now);
  return { chat, isPending: true };
}

export const markChatRead = (unit: Unit, deps: ReadDeps, workspaceId: string, chatId: string) =>
  markRead(unit, deps, workspaceId, chatId, null);

/** @throws Problem not_found, unprocessable for a message that was not received */
export async function markMessageRead(unit: Unit, deps: ReadDeps, workspaceId: string, id: string) {
  const row = await messages.getMessage(unit.db, workspaceId, id);
  if (!row) throw notFound('message');
  if (row.direction !== 'inbound')
    throw new Problem('unprocessable', 'Only received messages can be marked as read.');
  const { isPending } = await markRead(unit, deps, workspaceId, row.chat_id, id);
  const after = (await messages.getMessage(unit.db, workspaceId, id))!;
  return { message: presentMessage(after), version: after.version, isPending };
}
