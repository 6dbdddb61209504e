/** The account's own place in the group of a chat: whoever is not in it any more writes nothing there, and changes nothing. */
import type { Queryable } from '../../../platform/db/database.ts';
import type { Fault } from '../../../platform/http/problem.ts';
import { chatsById, type KnownChat } from './accept.store.ts';
import { refusal } from './message-faults.ts';

/** Of groups of which no more is known than their chat, the channel decides. */
export function faultOfPlace({ membership }: Pick<KnownChat, 'membership'>, pointer: string): Fault | null {
  if (membership === null || membership === 'joined') return null;
  const detail = `The account is not in this group any more: ${membership}.`;
  return { pointer, code: 'not_in_group', detail };
}

async function faultIn(
  db: Queryable,
  workspaceId: string,
  { id, kind }: { id: string; kind: string },
): Promise<Fault | null> {
  if (kind !== 'group') return null;
  const chat = (await chatsById(db, workspaceId, [id])).get(id);
  return chat ? faultOfPlace(chat, '') : null;
}

/** Whether it is a direct chat, or of a group that the account is in. */
export const isIn = async (
  db: Queryable,
  workspaceId: string,
  chat: { id: string; kind: string },
): Promise<boolean> => (await faultIn(db, workspaceId, chat)) === null;

/** @throws Problem not_in_group */
export async function assertIn(
  db: Queryable,
  workspaceId: string,
  chat: { id: string; kind: string },
): Promise<void> {
  const fault = await faultIn(db, workspaceId, chat);
  if (fault) throw refusal([fault]);
}
