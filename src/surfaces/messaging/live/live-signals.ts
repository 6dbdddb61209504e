/**
 * Forwards ephemeral signals of channels to the stream. Signals about unknown chats or contacts, and from blocked
 * people, are dropped.
 */
import type { Db } from '../../../platform/db/database.ts';
import type { LiveEvents } from '../../../core/events/stream/live-events.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import type { InboundDeps } from '../inbound/inbound.ts';
import { channelKey } from '../records/channel-key.ts';
import { findChatsAndContacts } from './live.system-store.ts';

export interface LiveSignalDeps {
  /** A database connection that doesn't queue behind requests. */
  db: Db;
  liveEvents: Pick<LiveEvents, 'source'>;
}

/** Never waits, never throws. */
export function createLiveSignals({ db, liveEvents }: LiveSignalDeps): InboundDeps['tellLive'] {
  const typing = liveEvents.source<{
    instanceId: string;
    chatKey: string;
    address: string;
    isTyping: boolean;
  }>('chat.typing', async (asked) => {
    const found = await findChatsAndContacts(
      db,
      asked.map(({ workspaceId, about }) => ({ workspaceId, ...about })),
    );
    return asked.map(({ about }, index) => {
      const { chat_id: chatId, contact_id: contactId, address, is_blocked: isBlocked } = found[index]!;
      return chatId === null || isBlocked
        ? null
        : {
            object: 'chat_typing',
            chat_id: publicId('chat', chatId),
            instance_id: publicId('instance', about.instanceId),
            contact_id: contactId === null ? null : publicId('contact', contactId),
            address,
            is_typing: about.isTyping,
          };
    });
  });
  const presence = liveEvents.source<{ instanceId: string; address: string; isOnline: boolean }>(
    'contact.presence',
    async (asked) => {
      const found = await findChatsAndContacts(
        db,
        asked.map(({ workspaceId, about }) => ({ workspaceId, ...about, chatKey: '' })),
      );
      return asked.map(({ about }, index) => {
        const { contact_id: contactId, address, is_blocked: isBlocked } = found[index]!;
        return contactId === null || isBlocked
          ? null
          : {
              object: 'contact_presence',
              contact_id: publicId('contact', contactId),
              instance_id: publicId('instance', about.instanceId),
              address,
              is_online: about.isOnline,
            };
      });
    },
  );

  return ({ workspaceId, instanceId }, signal) => {
    const address = channelKey(signal.address);
    if (signal.kind === 'presence') {
      presence(workspaceId, `${instanceId} ${address}`, { instanceId, address, isOnline: signal.isOnline });
      return;
    }
    const chatKey = channelKey(signal.chat.key);
    const about = { instanceId, chatKey, address, isTyping: signal.isTyping };
    typing(workspaceId, `${instanceId} ${chatKey} ${address}`, about);
  };
}
