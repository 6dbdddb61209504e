/** The account's own membership in the group of a chat: after leaving, nothing can be sent or changed there. */
import type { Db } from '../../../platform/db/database.ts';
import type { FieldError } from '../../../platform/http/problem.ts';
import { chatsById, type KnownChat } from './sending-instance.store.ts';
import { toFieldProblem } from './message-problems.ts';

/** For groups whose chat alone is known, the channel decides. */
export function checkMembership(
  { membership }: Pick<KnownChat, 'membership'>,
  pointer: string,
): FieldError | null {
  if (membership === null || membership === 'joined') return null;
  const detail = `The account is not in this group any more: ${membership}.`;
  return { pointer, code: 'not_in_group', detail };
}

async function faultIn(
  db: Db,
  workspaceId: string,
  { id, kind }: { id: string; kind: string },
): Promise<FieldError | null> {
  if (kind !== 'group') return null;
  const chat = (await chatsById(db, workspaceId, [id])).get(id);
  return chat ? checkMembership(chat, '') : null;
}

/** Whether it is a direct chat, or of a group that the account is in. */
export const isIn = async (
  db: Db,
  workspaceId: string,
  chat: { id: string; kind: string },
): Promise<boolean> => (await faultIn(db, workspaceId, chat)) === null;

/** @throws Problem not_in_group */
export async function assertIn(
  db: Db,
  workspaceId: string,
  chat: { id: string; kind: string },
): Promise<void> {
  const fault = await faultIn(db, workspaceId, chat);
  if (fault) throw toFieldProblem([fault]);
}
