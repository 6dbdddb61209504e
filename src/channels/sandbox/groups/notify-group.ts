/** Notifies the other accounts of a group about anything but messages. */
import type { Receipt } from '../../contract/signal.ts';
import { type Session, wakeSome } from '../account/sandbox-session.ts';
import { type StoredSignal, writeSignals } from '../account/sandbox-signal.ts';
import type { Group } from '../account/group.ts';
import { groupUnknown, getMember } from '../account/group-rules.ts';
import { readGroup, insertInboxRows } from '../account/group.system-store.ts';

/** Reads a group. @throws DriverError rejected: group_unknown if the account is not a member */
export async function openGroup({ server, sender, self }: Session, id: string | null): Promise<Group> {
  const group = id === null ? undefined : await readGroup(server.db, sender.workspaceId, id);
  if (!group) throw groupUnknown();
  getMember(group, self);
  return group;
}

/** Sends a signal to all other accounts of the group. */
export async function notifyGroup(session: Session, id: string | null, signal: StoredSignal): Promise<void> {
  const group = await openGroup(session, id);
  await tellOthersFor(session, group, signal);
}

/** Sends a read receipt if there is only one other member, so that the message is read by all. */
export async function notifyRead(session: Session, id: string | null, receipt: Receipt): Promise<void> {
  const group = await openGroup(session, id);
  if (group.members.size === 2) await tellOthersFor(session, group, { ...receipt, ofAll: true });
}

async function tellOthersFor(session: Session, group: Group, signal: StoredSignal): Promise<void> {
  const { server, sender, self } = session;
  const signals = writeSignals([signal]);
  const rows = [...group.members.values()].flatMap(({ address, instanceId }) =>
    instanceId === null || address === self ? [] : [{ instanceId, signals, afterMs: 0, senderId: null }],
  );
  await insertInboxRows(server.db, sender.workspaceId, rows);
  wakeSome(
    server,
    rows.map(({ instanceId }) => instanceId),
  );
}
