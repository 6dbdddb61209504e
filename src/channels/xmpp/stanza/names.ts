/**
 * Names of messages. An ID chosen by the sender is only meaningful within a chat, and for changes only together with
 * the sender, so that a stranger's ID never names another's message. A JID has no space before its resource, and a
 * local part no colon, so names of different kinds never collide.
 */
import { createHash, randomUUID } from 'node:crypto';
import { typeIdToUuid } from '../../../platform/http/ids.ts';
import { MESSAGE_PREFIX } from '../../contract/id-prefixes.ts';

/** IDs of what we send besides messages: what becomes of it is nobody's message. */
const OWN_MARK = 'fl.';

const part = (jid: string): string => jid.replaceAll(' ', '%20');

/** A message of a chat, whoever of it wrote it: what replies, reactions and markers name. */
export const chatName = (chat: string, id: string): string => `${part(chat)} ${id}`;
/** A message of a chat by the one who wrote it: what corrections, retractions and receipts name. */
export const writerName = (chat: string, writer: string, id: string): string =>
  `by:${part(writer)} ${part(chat)} ${id}`;
/** An entry of the account's own archive. Of a room's, `chatName` is the same thing. */
export const archiveName = (account: string, stanzaId: string): string => `at:${account} ${stanzaId}`;

/** For what neither server nor archive has a name: the same writer's same words under the same ID are the same. */
export const digestName = (...parts: readonly string[]): string =>
  `sum:${createHash('sha256').update(JSON.stringify(parts)).digest('base64url')}`;

/** What may be one of our own `clientId`s. */
export const clientIdIn = (id: string | null): string | null =>
  id !== null && typeIdToUuid(MESSAGE_PREFIX, id) !== null ? id : null;

/** When a `clientId` was made; by this server's clock. */
export function timeOfClientId(clientId: string): Date | null {
  const uuid = typeIdToUuid(MESSAGE_PREFIX, clientId);
  return uuid === null ? null : new Date(Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16));
}

export const newServiceId = (): string => `${OWN_MARK}${randomUUID()}`;
export const isServiceId = (id: string): boolean => id.startsWith(OWN_MARK);
