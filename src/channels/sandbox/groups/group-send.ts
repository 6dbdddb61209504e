/**
 * Sends a message to a group: the server accepts it once, delivers it to all accounts in the group, and adds the replies
 * of the scripted members that it addresses. Their commands run in the same transaction.
 */
import type { Tx } from '../../../platform/db/database.ts';
import type { OutboundMessage, SendResult } from '../../contract/connection.ts';
import { assertWithinLimits } from '../../contract/limits.ts';
import {
  ANSWER_MS,
  getResponses,
  type ScriptedRequest,
  buildScene,
  type ReplyStep,
} from '../account/sandbox-replies.ts';
import { asInbound, uploadFile } from '../account/sandbox-outbound.ts';
import { SANDBOX_CAPABILITIES } from '../account/sandbox-capabilities.ts';
import { findFault, isMute } from '../account/sandbox-faults.ts';
import { DELIVERED_MS, READ_MS } from '../account/sandbox-script.ts';
import { findSent } from '../account/sandbox-sent.system-store.ts';
import { atServer, type Session, wakeSome } from '../account/sandbox-session.ts';
import { type StoredSignal, writeSignals } from '../account/sandbox-signal.ts';
import { getGroupId } from '../account/group-address.ts';
import { editGroup } from './group-change.ts';
import { type Group, groupChat } from '../account/group.ts';
import { groupUnknown, mayWrite, getMember, notAllowed } from '../account/group-rules.ts';
import { openGroup } from './notify-group.ts';
import {
  getCommand,
  executeCommand,
  type AddressedMember,
  findAddressedMembers,
  getTarget,
} from './group-commands.ts';
import {
  type NewInboxRow,
  findAccounts,
  lockGroup,
  recordSent,
  insertInboxRows,
} from '../account/group.system-store.ts';

/** Delay between the replies of two members. */
const APART_MS = 100;

/** Converts a signal for accounts other than the sender of the message. */
function toOthers(signal: StoredSignal, { self, context }: Session): StoredSignal | null {
  if (signal.kind === 'receipt') return null;
  if (signal.kind === 'reacted' || signal.kind === 'pinned') return { ...signal, clientId: null };
  if (signal.kind === 'message' && signal.fromMe)
    return { ...signal, fromMe: false, from: self, fromName: context.name };
  return signal;
}

/** Builds the inbox rows that deliver the steps to all accounts of a group. */
function toInboxRows(session: Session, group: Group, steps: readonly ReplyStep[]): NewInboxRow[] {
  const rows: NewInboxRow[] = [];
  for (const { afterMs, signals } of steps) {
    const own = writeSignals(signals);
    const delivered = signals.flatMap((signal) => toOthers(signal, session) ?? []);
    const others = writeSignals(delivered);
    for (const { address, instanceId } of group.members.values()) {
      const isOwn = address === session.self;
      if (instanceId === null || (!isOwn && delivered.length === 0)) continue;
      rows.push({ instanceId, signals: isOwn ? own : others, afterMs, senderId: null });
    }
  }
  return rows;
}

/** Builds the receipts of a message that only scripted members get: all of them have read it. */
function getReceipts(message: OutboundMessage, now: Date): ReplyStep[] {
  const receipt = (status: 'delivered' | 'read', afterMs: number): ReplyStep => ({
    afterMs,
    signals: [
      {
        kind: 'receipt',
        externalId: message.clientId,
        clientId: message.clientId,
        status,
        error: null,
        at: new Date(now.getTime() + afterMs),
        ofAll: true,
      },
    ],
  });
  return [receipt('delivered', DELIVERED_MS), receipt('read', READ_MS)];
}

interface GroupMessage {
  session: Session;
  message: OutboundMessage;
  size: number;
  now: Date;
}

/** Computes the replies and actions of one member. @returns the group afterwards */
async function answer(
  tx: Tx,
  { session, message, size, now }: GroupMessage,
  group: Group,
  { contact, text }: AddressedMember,
  nth: number,
): Promise<{ group: Group; rows: NewInboxRow[] }> {
  const { sender, self } = session;
  const request: ScriptedRequest = {
    message,
    size,
    self,
    fault: null,
    replies: true,
    now,
    inGroup: { contact: contact.address, chat: groupChat(group), text },
  };
  const scene = buildScene(request);
  const command = message.type === 'text' ? getCommand(text) : null;
  const delay = nth * APART_MS;
  const withTyping = (steps: ReplyStep[], typesToo: boolean): ReplyStep[] => {
    const typing = (isTyping: boolean, afterMs: number): ReplyStep => ({
      afterMs: afterMs + delay,
      signals: [{ kind: 'typing', chat: scene.chat, address: contact.address, isTyping }],
    });
    const spokenSteps = steps.map((turn) => ({ ...turn, afterMs: ANSWER_MS + turn.afterMs + delay }));
    return typesToo && spokenSteps.length
      ? [typing(true, READ_MS), typing(false, ANSWER_MS), ...spokenSteps]
      : spokenSteps;
  };
  if (!command)
    return { group, rows: toInboxRows(session, group, withTyping(getResponses(request, scene), true)) };
  // An earlier command removed the member.
  if (!group.members.has(contact.address)) return { group, rows: [] };
  const target = getTarget(command, self);
  const accounts = await findAccounts(tx, sender.workspaceId, target === null ? [] : [target]);
  const edit = await editGroup(tx, sender.workspaceId, group, contact.address, (draft) =>
    executeCommand(draft, contact.address, command, target, accounts),
  );
  const words = edit.result;
  const steps =
    words === null ? [] : [{ afterMs: 0, signals: [scene.buildReply(1, ANSWER_MS, { text: words })] }];
  return {
    group: edit.group,
    rows: [...edit.rows, ...toInboxRows(session, edit.group, withTyping(steps, false))],
  };
}

/** Builds the inbox rows for an accepted message. The transaction has locked the group if any member acts. */
async function buildConsequences(
  tx: Tx,
  talk: GroupMessage,
  group: Group,
  spokenSteps: readonly AddressedMember[],
): Promise<NewInboxRow[]> {
  const { session, message, now } = talk;
  const signals = writeSignals([asInbound(session, message, now, groupChat(group))]);
  const others = [...group.members.values()].filter(({ address }) => address !== session.self);
  // Delivery to all is only known with a single other member.
  const senderId = others.length === 1 ? session.sender.instanceId : null;
  const rows: NewInboxRow[] = others.flatMap(({ instanceId }) =>
    instanceId === null ? [] : [{ instanceId, signals, afterMs: 0, senderId }],
  );
  const allRead = others.every(
    ({ address, instanceId }) => instanceId === null && !isMute(findFault(address)),
  );
  if (allRead && others.length > 0) rows.push(...toInboxRows(session, group, getReceipts(message, now)));
  let present = group;
  for (const [nth, one] of spokenSteps.entries()) {
    const next = await answer(tx, talk, present, one, nth);
    present = next.group;
    rows.push(...next.rows);
  }
  return rows;
}

/** @throws DriverError rejected: group_unknown, not_allowed */
export async function sendToGroup(
  session: Session,
  message: OutboundMessage,
  signal: AbortSignal,
): Promise<SendResult> {
  assertWithinLimits(SANDBOX_CAPABILITIES, message);
  const { server, sender, self, settings } = session;
  const { workspaceId, instanceId } = sender;
  const { clientId, chat } = message;
  const id = getGroupId(chat.address);
  const acceptance = (at: Date): SendResult => ({ externalId: clientId, status: 'sent', at });
  const assertMayWrite = (group: Group): void => {
    if (!mayWrite(group, getMember(group, self))) throw notAllowed();
  };
  const getListeners = (group: Group): AddressedMember[] =>
    settings.replies
      ? findAddressedMembers(group, message).filter(({ contact }) => !isMute(findFault(contact.address)))
      : [];

  return atServer(session, signal, async () => {
    // An accepted message stays accepted, even if the account was removed since.
    const before = message.attempt > 0 ? await findSent(server.db, instanceId, clientId) : undefined;
    if (before) return acceptance(before.taken_at);
    const group = await openGroup(session, id);
    assertMayWrite(group);
    const others = [...group.members.values()].filter(({ address }) => address !== self);
    const isWanted = (): boolean => others.some((member) => member.instanceId !== null);
    const size = await uploadFile(session, message, isWanted, signal);
    const isObeyed = getListeners(group).some(({ text }) => message.type === 'text' && getCommand(text));
    const at = await server.db.transaction().execute(async (tx) => {
      const present = isObeyed ? await lockGroup(tx, workspaceId, group.id) : group;
      const { acceptedAt, isNew } = await recordSent(tx, workspaceId, instanceId, clientId, group.id);
      if (isNew) {
        // The group may have changed or ended before it was locked.
        if (!present) throw groupUnknown();
        assertMayWrite(present);
        const talk = { session, message, size, now: new Date() };
        await insertInboxRows(
          tx,
          workspaceId,
          await buildConsequences(tx, talk, present, getListeners(present)),
        );
      }
      return acceptedAt;
    });
    wakeSome(
      server,
      others.flatMap((member) => member.instanceId ?? []),
    );
    return acceptance(at);
  });
}
