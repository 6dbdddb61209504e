/** The chat of a group has the same key, and the same title unless a user has set another. */
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import { insertChats } from '../records/chat.store.ts';
import { lockChatsByKey } from '../records/chat.store.ts';
import { channelKey } from '../records/channel-key.ts';
import { makeGroupChat, setTitleFor } from './group-chat.store.ts';

/** Finds or creates the chat. @param group `key` is the stored key. @returns the chat's ID */
export async function chatOfGroup(
  unit: Unit,
  { workspaceId, instanceId }: { workspaceId: string; instanceId: string },
  { key, address, subject }: { key: string; address: string; subject: string },
): Promise<string> {
  const title = subject || null;
  const found = (await lockChatsByKey(unit.db, workspaceId, instanceId, [key])).get(key);
  if (found) {
    await makeGroupChat(unit.db, workspaceId, found.id, title, unit.clock());
    return found.id;
  }
  const id = unit.newUuid();
  const chat = { id, instance_id: instanceId, kind: 'group', key, address: channelKey(address), title };
  await insertChats(unit.db, workspaceId, [{ ...chat, contact_id: null, created_at: unit.clock() }]);
  return id;
}

/** Renames the chat with its group, unless a user has set a title. */
export const retitleChat = (
  unit: Unit,
  workspaceId: string,
  chatId: string,
  before: string,
  subject: string,
): Promise<void> =>
  setTitleFor(unit.db, workspaceId, chatId, { before, title: subject || null }, unit.clock());
