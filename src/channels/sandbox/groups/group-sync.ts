/**
 * Reports an account's groups when it connects. The signals are queued behind older ones. If the account was renamed, its
 * address changes in its groups, and the other members are notified.
 */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import type { Session } from '../account/sandbox-session.ts';
import { editGroup } from './group-change.ts';
import { joinedSignal } from '../account/group.ts';
import { removeMember } from '../account/group-rules.ts';
import {
  toInboxRow,
  listGroupsOfAccount,
  lockGroup,
  insertInboxRows,
} from '../account/group.system-store.ts';

/** With this many pending rows the account is behind; reporting all groups on each connect would only add to them. */
const MAX_WAITING = 1_000;
/** Maximum groups reported on connect; changes of the others are still reported. */
const MAX_GROUPS = 200;

async function isBehind(db: Db, instanceId: string): Promise<boolean> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select from sandbox_inbox where instance_id = ${instanceId} limit ${MAX_WAITING}
    ) waiting
  `.execute(db);
  return rows[0]!.count >= MAX_WAITING;
}

export async function syncOwnGroups(session: Session): Promise<void> {
  const { server, sender, self, context } = session;
  const { db, notifyOtherNodes } = server;
  const { workspaceId, instanceId } = sender;
  const groups = await listGroupsOfAccount(db, workspaceId, instanceId, MAX_GROUPS);
  if (groups.length === 0 || (await isBehind(db, instanceId))) return;
  for (const { id, address } of groups)
    await db.transaction().execute(async (tx) => {
      let group = await lockGroup(tx, workspaceId, id);
      const member = group?.members.get(address);
      if (!group || member?.instanceId !== instanceId) return;
      if (address !== self) {
        const edit = await editGroup(tx, workspaceId, group, self, (draft) => {
          removeMember(draft, address, 'left');
          draft.members.set(self, { ...member, address: self, name: context.name });
        });
        ({ group } = edit);
        await insertInboxRows(
          tx,
          workspaceId,
          edit.rows.filter((rows) => rows.instanceId !== instanceId),
        );
        notifyOtherNodes();
      }
      const { about, ...signal } = joinedSignal(group, null, new Date());
      // The account already has the picture; receiving it on each connect would be wasted work.
      const { picture: _picture, ...text } = about!;
      await insertInboxRows(tx, workspaceId, [
        toInboxRow({ instanceId, signal: { ...signal, about: text } }),
      ]);
    });
}
