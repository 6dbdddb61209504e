/**
 * Builds names of messages. An ID chosen by the sender is only meaningful within a chat, and for changes only together
 * with the sender, so that a stranger's ID never names another's message. A JID has no space before its resource, and a
 * local part no colon, so names of different kinds never collide.
 */
import { createHash, randomUUID } from 'node:crypto';
import { typeIdToUuid } from '../../../platform/http/ids.ts';
import { MESSAGE_PREFIX } from '../../contract/id-prefixes.ts';

/** Prefix of IDs of other stanzas that we send, so that errors about them are never attributed to a message. */
const OWN_MARK = 'fl.';

const part = (jid: string): string => jid.replaceAll(' ', '%20');

/** Names a message of a chat without its writer, as replies, reactions and markers do. */
export const chatName = (chat: string, id: string): string => `${part(chat)} ${id}`;
/** Names a message of a chat by its writer, as corrections, retractions and receipts do. */
export const writerName = (chat: string, writer: string, id: string): string =>
  `by:${part(writer)} ${part(chat)} ${id}`;
/** Names an entry of the account's own archive. For a room's archive, use `chatName`. */
export const archiveName = (account: string, stanzaId: string): string => `at:${account} ${stanzaId}`;

/**
 * Names a message without an ID from the server or archive. The same text by the same writer with the same ID gets the
 * same name.
 */
export const digestName = (...parts: readonly string[]): string =>
  `sum:${createHash('sha256').update(JSON.stringify(parts)).digest('base64url')}`;

/** Returns the ID if it has the form of one of our own `clientId`s, else null. */
export const clientIdIn = (id: string | null): string | null =>
  id !== null && typeIdToUuid(MESSAGE_PREFIX, id) !== null ? id : null;

/** Returns when a `clientId` was created, by this server's clock. */
export function timeOfClientId(clientId: string): Date | null {
  const uuid = typeIdToUuid(MESSAGE_PREFIX, clientId);
  return uuid === null ? null : new Date(Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16));
}

export const newServiceId = (): string => `${OWN_MARK}${randomUUID()}`;
export const isServiceId = (id: string): boolean => id.startsWith(OWN_MARK);
