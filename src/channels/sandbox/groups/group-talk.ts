/** What is told to the other accounts of a group besides messages. */
import type { Receipt } from '../../contract/signal.ts';
import { type Session, wakeSome } from '../sandbox-session.ts';
import { type StoredSignal, writeSignals } from '../sandbox-signal.ts';
import type { Group } from './group.ts';
import { groupUnknown, getMember } from './group-rules.ts';
import { readGroup, tellMembers } from './group.system-store.ts';

/** @throws DriverError rejected: group_unknown, where the account is not in it */
export async function openGroup({ server, teller, self }: Session, id: string | null): Promise<Group> {
  const group = id === null ? undefined : await readGroup(server.db, teller.workspaceId, id);
  if (!group) throw groupUnknown();
  getMember(group, self);
  return group;
}

/** Tells all others. */
export async function tellGroup(session: Session, id: string | null, signal: StoredSignal): Promise<void> {
  const group = await openGroup(session, id);
  await tellOthersFor(session, group, signal);
}

/** Tells who has written a message that it was read, where that one is the only other member: then all have read it. */
export async function tellRead(session: Session, id: string | null, receipt: Receipt): Promise<void> {
  const group = await openGroup(session, id);
  if (group.members.size === 2) await tellOthersFor(session, group, { ...receipt, ofAll: true });
}

async function tellOthersFor(session: Session, group: Group, signal: StoredSignal): Promise<void> {
  const { server, teller, self } = session;
  const signals = writeSignals([signal]);
  const due = [...group.members.values()].flatMap(({ address, instanceId }) =>
    instanceId === null || address === self ? [] : [{ instanceId, signals, afterMs: 0, senderId: null }],
  );
  await tellMembers(server.db, teller.workspaceId, due);
  wakeSome(
    server,
    due.map(({ instanceId }) => instanceId),
  );
}
