/**
 * A message to a group: taken once by the server, told to all accounts in it, answered by the scripted members that it is
 * said to. What they do on a word is done in the same transaction.
 */
import type { Tx } from '../../../platform/db/database.ts';
import type { OutboundMessage, SendResult } from '../../contract/connection.ts';
import { assertWithinLimits } from '../../contract/limits.ts';
import { ANSWER_MS, getResponses, type Exchange, getScene, type Turn } from '../sandbox-replies.ts';
import { asInbound, bringFile } from '../sandbox-carry.ts';
import { SANDBOX_CAPABILITIES } from '../sandbox-capabilities.ts';
import { findFault, isMute } from '../sandbox-faults.ts';
import { DELIVERED_MS, READ_MS } from '../sandbox-script.ts';
import { findSent } from '../sandbox-sent.system-store.ts';
import { atServer, type Session, wakeSome } from '../sandbox-session.ts';
import { type StoredSignal, writeSignals } from '../sandbox-signal.ts';
import { getGroupId } from './group-address.ts';
import { editGroup } from './group-change.ts';
import { type Group, groupChat } from './group.ts';
import { groupUnknown, mayWrite, getMember, notAllowed } from './group-rules.ts';
import { openGroup } from './group-talk.ts';
import { getCommand, obey, type Said, saidTo, getTarget } from './group-commands.ts';
import { type Due, findAccounts, lockGroup, noteSent, tellMembers } from './group.system-store.ts';

/** Between the answers of two members. */
const APART_MS = 100;

/** A signal as it is told to others than the sender of what it is about. */
function toOthers(signal: StoredSignal, { self, context }: Session): StoredSignal | null {
  if (signal.kind === 'receipt') return null;
  if (signal.kind === 'reacted') return { ...signal, clientId: null };
  if (signal.kind === 'message' && signal.fromMe)
    return { ...signal, fromMe: false, from: self, fromName: context.name };
  return signal;
}

/** Brings turns to all accounts of a group. */
function getDue(session: Session, group: Group, turns: readonly Turn[]): Due[] {
  const due: Due[] = [];
  for (const { afterMs, signals } of turns) {
    const own = writeSignals(signals);
    const told = signals.flatMap((signal) => toOthers(signal, session) ?? []);
    const others = writeSignals(told);
    for (const { address, instanceId } of group.members.values()) {
      const isOwn = address === session.self;
      if (instanceId === null || (!isOwn && told.length === 0)) continue;
      due.push({ instanceId, signals: isOwn ? own : others, afterMs, senderId: null });
    }
  }
  return due;
}

/** What the sender is told of a message that scripted members alone get: all of them have read it. */
function getReceipts(message: OutboundMessage, now: Date): Turn[] {
  const receipt = (status: 'delivered' | 'read', afterMs: number): Turn => ({
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

interface Talk {
  session: Session;
  message: OutboundMessage;
  size: number;
  now: Date;
}

/** What one member says and does. @returns the group as it is then */
async function answer(
  tx: Tx,
  { session, message, size, now }: Talk,
  group: Group,
  { contact, text }: Said,
  nth: number,
): Promise<{ group: Group; due: Due[] }> {
  const { teller, self } = session;
  const exchange: Exchange = {
    message,
    size,
    self,
    fault: null,
    replies: true,
    now,
    inGroup: { contact: contact.address, chat: groupChat(group), text },
  };
  const scene = getScene(exchange);
  const command = message.type === 'text' ? getCommand(text) : null;
  const delay = nth * APART_MS;
  const spoken = (turns: Turn[], typesToo: boolean): Turn[] => {
    const typing = (isTyping: boolean, afterMs: number): Turn => ({
      afterMs: afterMs + delay,
      signals: [{ kind: 'typing', chat: scene.chat, address: contact.address, isTyping }],
    });
    const said = turns.map((turn) => ({ ...turn, afterMs: ANSWER_MS + turn.afterMs + delay }));
    return typesToo && said.length ? [typing(true, READ_MS), typing(false, ANSWER_MS), ...said] : said;
  };
  if (!command) return { group, due: getDue(session, group, spoken(getResponses(exchange, scene), true)) };
  // Another has put it out meanwhile.
  if (!group.members.has(contact.address)) return { group, due: [] };
  const target = getTarget(command, self);
  const accounts = await findAccounts(tx, teller.workspaceId, target === null ? [] : [target]);
  const edit = await editGroup(tx, teller.workspaceId, group, contact.address, (draft) =>
    obey(draft, contact.address, command, target, accounts),
  );
  const words = edit.result;
  const turns = words === null ? [] : [{ afterMs: 0, signals: [scene.says(1, ANSWER_MS, { text: words })] }];
  return { group: edit.group, due: [...edit.due, ...getDue(session, edit.group, spoken(turns, false))] };
}

/** What comes of a message that is taken. The transaction holds the group where anybody does anything. */
async function follow(tx: Tx, talk: Talk, group: Group, said: readonly Said[]): Promise<Due[]> {
  const { session, message, now } = talk;
  const signals = writeSignals([asInbound(session, message, now, groupChat(group))]);
  const others = [...group.members.values()].filter(({ address }) => address !== session.self);
  // That everybody has it is known where there is one other alone.
  const senderId = others.length === 1 ? session.teller.instanceId : null;
  const due: Due[] = others.flatMap(({ instanceId }) =>
    instanceId === null ? [] : [{ instanceId, signals, afterMs: 0, senderId }],
  );
  const allRead = others.every(
    ({ address, instanceId }) => instanceId === null && !isMute(findFault(address)),
  );
  if (allRead && others.length > 0) due.push(...getDue(session, group, getReceipts(message, now)));
  let present = group;
  for (const [nth, one] of said.entries()) {
    const next = await answer(tx, talk, present, one, nth);
    present = next.group;
    due.push(...next.due);
  }
  return due;
}

/** @throws DriverError rejected: group_unknown, not_allowed */
export async function sendToGroup(
  session: Session,
  message: OutboundMessage,
  signal: AbortSignal,
): Promise<SendResult> {
  assertWithinLimits(SANDBOX_CAPABILITIES, message);
  const { server, teller, self, settings } = session;
  const { workspaceId, instanceId } = teller;
  const { clientId, chat } = message;
  const id = getGroupId(chat.address);
  const taken = (at: Date): SendResult => ({ externalId: clientId, status: 'sent', at });
  const assertMayWrite = (group: Group): void => {
    if (!mayWrite(group, getMember(group, self))) throw notAllowed();
  };
  const listening = (group: Group): Said[] =>
    settings.replies
      ? saidTo(group, message).filter(({ contact }) => !isMute(findFault(contact.address)))
      : [];

  return atServer(session, signal, async () => {
    // Taken is taken, also where the account was put out since.
    const before = message.attempt > 0 ? await findSent(server.db, instanceId, clientId) : undefined;
    if (before) return taken(before.taken_at);
    const group = await openGroup(session, id);
    assertMayWrite(group);
    const others = [...group.members.values()].filter(({ address }) => address !== self);
    const isWanted = (): boolean => others.some((member) => member.instanceId !== null);
    const size = await bringFile(session, message, isWanted, signal);
    const isObeyed = listening(group).some(({ text }) => message.type === 'text' && getCommand(text));
    const at = await server.db.transaction().execute(async (tx) => {
      const present = isObeyed ? await lockGroup(tx, workspaceId, group.id) : group;
      const { takenAt, isNew } = await noteSent(tx, workspaceId, instanceId, clientId, group.id);
      if (isNew) {
        // It may have been changed, or ended, before it was held.
        if (!present) throw groupUnknown();
        assertMayWrite(present);
        const talk = { session, message, size, now: new Date() };
        await tellMembers(tx, workspaceId, await follow(tx, talk, present, listening(present)));
      }
      return takenAt;
    });
    wakeSome(
      server,
      others.flatMap((member) => member.instanceId ?? []),
    );
    return taken(at);
  });
}
