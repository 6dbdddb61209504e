/** Operations of an account other than sending. On scripted contacts they have no effect. */
import { randomUUID } from 'node:crypto';
import { type ChatRef, type ContactCalls, type MessageRef } from '../contract/connection.ts';
import { DriverError } from '../contract/driver-error.ts';
import type { Receipt } from '../contract/signal.ts';
import * as accounts from './account/sandbox-account.system-store.ts';
import { SANDBOX_CAPABILITIES } from './account/sandbox-capabilities.ts';
import { getGroupId, isGroupAddress } from './account/group-address.ts';
import { createGroupCalls } from './groups/group-calls.ts';
import { notifyGroup, notifyRead } from './groups/notify-group.ts';
import { findFault } from './account/sandbox-faults.ts';
import { notifyAccount } from './account/sandbox-inbox.system-store.ts';
import { findSent } from './account/sandbox-sent.system-store.ts';
import { atServer, type Session, wakeAll } from './account/sandbox-session.ts';
import { type StoredSignal, writeSignals } from './account/sandbox-signal.ts';
import { currentMs, currentTime } from '../../platform/time/clock.ts';

const MAX_CONTACTS = 1_000;
const SCRIPTED = ['alice', 'bob', 'carol'];

const getId = ({ externalId, clientId }: MessageRef): string => externalId ?? clientId ?? '';

async function notify(
  session: Session,
  to: { address: string } | { id: string },
  signal: StoredSignal,
): Promise<void> {
  const { server, sender } = session;
  if (await notifyAccount(server.db, sender, to, writeSignals([signal]))) wakeAll(server);
}

/** Changes a message that the account sent. @throws DriverError rejected: message_unknown, too_late */
async function change(
  session: Session,
  message: MessageRef,
  within: number | null,
  toSignal: (externalId: string) => StoredSignal,
): Promise<void> {
  const { server, sender } = session;
  const sent = message.fromMe ? await findSent(server.db, sender.instanceId, getId(message)) : undefined;
  if (!sent)
    throw new DriverError(
      'rejected',
      'message_unknown',
      'The sandbox has no such message from this account.',
    );
  if (within !== null && currentMs() - sent.taken_at.getTime() > within * 1000)
    throw new DriverError(
      'rejected',
      'too_late',
      `Messages can be changed for ${within} seconds after sending.`,
    );
  if (sent.group_id !== null) await notifyGroup(session, sent.group_id, toSignal(getId(message)));
  else if (sent.recipient_id !== null)
    await notify(session, { id: sent.recipient_id }, toSignal(getId(message)));
}

export function createOperations(session: Session) {
  const { self, sender, server } = session;
  const { editWithin, revokeWithin } = SANDBOX_CAPABILITIES.limits;
  const toChat = (chat: ChatRef, signal: AbortSignal, delivered: StoredSignal): Promise<void> =>
    atServer(session, signal, () =>
      chat.kind === 'group'
        ? notifyGroup(session, getGroupId(chat.address), delivered)
        : notify(session, { address: chat.address }, delivered),
    );
  const contacts: ContactCalls = {
    list: (signal) =>
      atServer(session, signal, async () => {
        const others = await accounts.listOtherAccounts(server.db, sender, MAX_CONTACTS);
        const known = new Set([self, ...others.map(({ address }) => address)]);
        const scripted = SCRIPTED.filter((address) => !known.has(address));
        return [
          ...others,
          ...scripted.map((address) => ({ address, name: address[0]!.toUpperCase() + address.slice(1) })),
        ];
      }),
    check: async (addresses) =>
      addresses.map((address) => findFault(address) !== 'fail' && !isGroupAddress(address)),
    setBlocked: (address, isBlocked, signal) =>
      atServer(session, signal, () => accounts.setBlocked(server.db, sender, address, isBlocked)),
  };
  return {
    contacts,
    groups: createGroupCalls(session),
    edit: (_chat: ChatRef, message: MessageRef, text: string, signal: AbortSignal): Promise<void> =>
      atServer(session, signal, () =>
        change(session, message, editWithin, (externalId) => ({
          kind: 'edited',
          externalId,
          changeId: randomUUID(),
          text,
          at: currentTime(),
        })),
      ),
    revoke: (_chat: ChatRef, message: MessageRef, signal: AbortSignal): Promise<void> =>
      atServer(session, signal, () =>
        change(session, message, revokeWithin, (externalId) => ({
          kind: 'revoked',
          externalId,
          at: currentTime(),
        })),
      ),
    async react(
      chat: ChatRef,
      message: MessageRef,
      emoji: string | null,
      signal: AbortSignal,
    ): Promise<void> {
      const externalId = getId(message);
      const at = currentTime();
      await toChat(chat, signal, {
        kind: 'reacted',
        externalId,
        clientId: externalId,
        author: self,
        fromMe: false,
        emoji,
        at,
      });
    },
    async setPinned(
      chat: ChatRef,
      message: MessageRef,
      isPinned: boolean,
      signal: AbortSignal,
    ): Promise<void> {
      const externalId = getId(message);
      const at = currentTime();
      await toChat(chat, signal, { kind: 'pinned', externalId, clientId: externalId, isPinned, at });
    },
    async markRead(chat: ChatRef, message: MessageRef, signal: AbortSignal): Promise<void> {
      const externalId = getId(message);
      const receipt: Receipt = {
        kind: 'receipt',
        externalId,
        clientId: externalId,
        status: 'read',
        error: null,
        at: currentTime(),
        upTo: true,
      };
      if (chat.kind === 'group')
        await atServer(session, signal, () => notifyRead(session, getGroupId(chat.address), receipt));
      else await toChat(chat, signal, receipt);
    },
    async setTyping(chat: ChatRef, isTyping: boolean, signal: AbortSignal): Promise<void> {
      const own = { kind: 'direct' as const, key: self, address: self, title: session.context.name };
      const where = chat.kind === 'group' ? { ...chat, title: chat.title ?? null } : own;
      await toChat(chat, signal, { kind: 'typing', chat: where, address: self, isTyping });
    },
  };
}
