/**
 * Builds and parses Message-IDs without their angle brackets, which are the external IDs of this channel. Ours are
 * `<client id>@<domain of the account>`, so that a bounce, a reply or a copy in a folder identifies the message that we
 * sent.
 */
import { createHash } from 'node:crypto';
import { getDomain } from './settings.ts';

const CLIENT_ID = /^[\da-z_]{30}$/;
/** Separators of Message-IDs: white space, brackets, controls. */
const BETWEEN = /[\s<>\p{C}]+/u;
/** Whether the word has text on both sides of an @. A pattern would take quadratic time in a long word. */
const isId = (word: string): boolean => word.slice(1, -1).includes('@');
/**
 * Maximum length of an ID. Longer ones are replaced by their hash, because a header line has at most 998 characters.
 */
const LONGEST = 250;
const MAX_REFERENCES = 50;

export const getMessageId = (clientId: string, ownAddress: string): string =>
  `${clientId}@${getDomain(ownAddress)}`;

/** Returns the client ID in one of our Message-IDs, else null. */
export function getClientId(messageId: string, ownAddress: string): string | null {
  const at = messageId.indexOf('@');
  const clientId = messageId.slice(0, at);
  return CLIENT_ID.test(clientId) && messageId.slice(at + 1) === getDomain(ownAddress) ? clientId : null;
}

/**
 * Returns the chat key of a thread: the root's client ID if the thread started with our message, else its Message-ID.
 */
export const getThreadKey = (root: string, ownAddress: string): string =>
  getClientId(root, ownAddress) ?? root;

/** Returns the Message-ID for a chat's key; null if the chat started with an address. */
export const getRoot = (key: string, address: string, ownAddress: string): string | null => {
  if (CLIENT_ID.test(key)) return getMessageId(key, ownAddress);
  return key === address ? null : key;
};

const short = (id: string): string =>
  id.length <= LONGEST ? id : `${createHash('sha256').update(id).digest('hex')}@long.invalid`;

/**
 * Returns the IDs in a header in order. Of many, only the first and the last are returned, which are the root and the
 * parents.
 */
export function readMessageIds(header: string | undefined): string[] {
  const found = [...new Set((header ?? '').split(BETWEEN).filter(isId))].map(short);
  return found.length <= MAX_REFERENCES ? found : [found[0]!, ...found.slice(1 - MAX_REFERENCES)];
}

/** Returns an ID for a mail without a Message-ID, which is the same each time the same header block is read. */
export const deriveMessageId = (headers: Buffer): string =>
  `${createHash('sha256').update(headers).digest('hex')}@unnamed.invalid`;
