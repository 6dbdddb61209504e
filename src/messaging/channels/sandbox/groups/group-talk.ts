/** What is told to the other accounts of a group besides messages. */
import { type Session, wakeSome } from '../sandbox-session.ts';
import { type StoredSignal, writeSignals } from '../sandbox-signal.ts';
import type { Group } from './group.ts';
import { groupUnknown, memberOf } from './group-rules.ts';
import { readGroup, tellMembers } from './group.system-store.ts';

/** @throws DriverError rejected: group_unknown, where the account is not in it */
export async function openGroup({ server, teller, self }: Session, id: string | null): Promise<Group> {
  const group = id === null ? undefined : await readGroup(server.db, teller.workspaceId, id);
  if (!group) throw groupUnknown();
  memberOf(group, self);
  return group;
}

/** @param only the member who is told; left out, all others are */
export async function tellGroup(
  session: Session,
  id: string | null,
  signal: StoredSignal,
  only?: string | null,
): Promise<void> {
  const { server, teller, self } = session;
  const group = await openGroup(session, id);
  const signals = writeSignals([signal]);
  const due = [...group.members.values()].flatMap(({ address, instanceId }) =>
    instanceId === null || address === self || (only !== undefined && address !== only)
      ? []
      : [{ instanceId, signals, afterMs: 0, senderId: null }],
  );
  await tellMembers(server.db, teller.workspaceId, due);
  wakeSome(
    server,
    due.map(({ instanceId }) => instanceId),
  );
}
