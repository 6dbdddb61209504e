/** Changing a group: held, changed, written, told to all of its accounts, in one transaction. */
import { createHash } from 'node:crypto';
import type { Tx } from '../../../platform/db/database.ts';
import { type Session, wakeAll } from '../sandbox-session.ts';
import { type Draft, getDraft, type Group, toSignals } from './group.ts';
import { groupUnknown, passOwnershipOn } from './group-rules.ts';
import { type Due, dueNow, lockGroup, tellMembers, writeGroup } from './group.system-store.ts';

export interface Edit<T> {
  result: T;
  /** As it is by then. */
  group: Group;
  due: Due[];
}

/**
 * Changes a group that the transaction holds. Nobody is told yet.
 * @param by who does it
 */
export async function editGroup<T>(
  tx: Tx,
  workspaceId: string,
  before: Group,
  by: string,
  work: (draft: Draft) => T | Promise<T>,
): Promise<Edit<T>> {
  const draft = getDraft(before);
  const result = await work(draft);
  passOwnershipOn(draft);
  if (draft.picture !== undefined)
    draft.pictureSha256 = draft.picture && createHash('sha256').update(draft.picture).digest('hex');
  await writeGroup(tx, workspaceId, before, draft);
  return { result, group: draft, due: toSignals(before, draft, by, new Date()).map(dueNow) };
}

/** @throws DriverError rejected: group_unknown, and what `work` throws: then nothing is changed */
export async function changeGroup<T>(
  session: Session,
  id: string | null,
  work: (draft: Draft, tx: Tx) => T | Promise<T>,
): Promise<{ result: T; group: Group }> {
  const { server, teller, self } = session;
  if (id === null) throw groupUnknown();
  const { result, group, due } = await server.db.transaction().execute(async (tx) => {
    const before = await lockGroup(tx, teller.workspaceId, id);
    if (!before) throw groupUnknown();
    const edit = await editGroup(tx, teller.workspaceId, before, self, (draft) => work(draft, tx));
    await tellMembers(tx, teller.workspaceId, edit.due);
    return edit;
  });
  if (due.length) wakeAll(server);
  return { result, group };
}
