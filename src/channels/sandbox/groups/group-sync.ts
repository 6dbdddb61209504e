/**
 * After opening, an account is told of the groups that it is in. Told behind what it was told already, since that is older.
 * Whoever was renamed has another address by now, which the other members are told.
 */
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import type { Session } from '../sandbox-session.ts';
import { editGroup } from './group-change.ts';
import { joinedSignal } from './group.ts';
import { takeOut } from './group-rules.ts';
import { dueNow, groupsOfAccount, lockGroup, tellMembers } from './group.system-store.ts';

/** Where so much waits for an account, it is behind anyhow; telling all groups again at each opening would only add to it. */
const MAX_WAITING = 1_000;
/** So many are told of at an opening; whatever changes in others is told all the same. */
const MAX_GROUPS = 200;

async function isBehind(db: Db, instanceId: string): Promise<boolean> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select from sandbox_inbox where instance_id = ${instanceId} limit ${MAX_WAITING}
    ) waiting
  `.execute(db);
  return rows[0]!.count >= MAX_WAITING;
}

export async function tellOwnGroups(session: Session): Promise<void> {
  const { server, teller, self, context } = session;
  const { db, tellOthers } = server;
  const { workspaceId, instanceId } = teller;
  const groups = await groupsOfAccount(db, workspaceId, instanceId, MAX_GROUPS);
  if (groups.length === 0 || (await isBehind(db, instanceId))) return;
  for (const { id, address } of groups)
    await db.transaction().execute(async (tx) => {
      let group = await lockGroup(tx, workspaceId, id);
      const member = group?.members.get(address);
      if (!group || member?.instanceId !== instanceId) return;
      if (address !== self) {
        const edit = await editGroup(tx, workspaceId, group, self, (draft) => {
          takeOut(draft, address, 'left');
          draft.members.set(self, { ...member, address: self, name: context.name });
        });
        ({ group } = edit);
        await tellMembers(
          tx,
          workspaceId,
          edit.due.filter((due) => due.instanceId !== instanceId),
        );
        tellOthers();
      }
      const { about, ...signal } = joinedSignal(group, null, new Date());
      // The picture is the one that it was told of before; receiving it anew at each opening would be for nothing.
      const { picture: _picture, ...words } = about!;
      await tellMembers(tx, workspaceId, [dueNow({ instanceId, signal: { ...signal, about: words } })]);
    });
}
