/** Changes groups: locks, changes, stores and notifies all accounts, in one transaction. */
import { createHash } from 'node:crypto';
import type { Tx } from '../../../platform/db/database.ts';
import { type Session, wakeAll } from '../account/sandbox-session.ts';
import { type Draft, getDraft, type Group, toSignals } from '../account/group.ts';
import { groupUnknown, passOwnershipOn } from '../account/group-rules.ts';
import {
  type NewInboxRow,
  toInboxRow,
  lockGroup,
  insertInboxRows,
  writeGroup,
} from '../account/group.system-store.ts';

export interface Edit<T> {
  result: T;
  /** The group after the change. */
  group: Group;
  rows: NewInboxRow[];
}

/**
 * Changes a group that the transaction has locked. The caller inserts the returned inbox rows.
 * @param by address of the actor
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
  return { result, group: draft, rows: toSignals(before, draft, by, new Date()).map(toInboxRow) };
}

/** Locks and changes a group. @throws DriverError rejected: group_unknown; errors of `work`, after which nothing changed */
export async function changeGroup<T>(
  session: Session,
  id: string | null,
  work: (draft: Draft, tx: Tx) => T | Promise<T>,
): Promise<{ result: T; group: Group }> {
  const { server, sender, self } = session;
  if (id === null) throw groupUnknown();
  const { result, group, rows } = await server.db.transaction().execute(async (tx) => {
    const before = await lockGroup(tx, sender.workspaceId, id);
    if (!before) throw groupUnknown();
    const edit = await editGroup(tx, sender.workspaceId, before, self, (draft) => work(draft, tx));
    await insertInboxRows(tx, sender.workspaceId, edit.rows);
    return edit;
  });
  if (rows.length) wakeAll(server);
  return { result, group };
}
