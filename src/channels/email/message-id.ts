/**
 * Message-IDs, without their angle brackets: the external IDs of this channel. Ours are `<client id>@<domain of the
 * account>`, so that a bounce, a reply or a copy found in a folder leads back to the message that we sent.
 */
import { createHash } from 'node:crypto';
import { getDomain } from './settings.ts';

const CLIENT_ID = /^[\da-z_]{30}$/;
/** What no Message-ID is kept with: white space, brackets, controls. */
const BETWEEN = /[\s<>\p{C}]+/u;
/** Something on both sides of an @. A pattern for the whole would begin anew at each character of a long word. */
const isId = (word: string): boolean => word.slice(1, -1).includes('@');
/** A line of a header has at most 998 characters. Longer ones are kept as their hash. */
const LONGEST = 250;
const MAX_REFERENCES = 50;

export const getMessageId = (clientId: string, ownAddress: string): string =>
  `${clientId}@${getDomain(ownAddress)}`;

/** The client ID of a Message-ID of ours, else null. */
export function getClientId(messageId: string, ownAddress: string): string | null {
  const at = messageId.indexOf('@');
  const clientId = messageId.slice(0, at);
  return CLIENT_ID.test(clientId) && messageId.slice(at + 1) === getDomain(ownAddress) ? clientId : null;
}

/** The key of a thread's chat: the client ID where the thread began with a message of ours, as the product names it. */
export const getThreadKey = (root: string, ownAddress: string): string =>
  getClientId(root, ownAddress) ?? root;

/** Returns the Message-ID of a chat's key; null if the chat began with an address. */
export const getRoot = (key: string, address: string, ownAddress: string): string | null => {
  if (CLIENT_ID.test(key)) return getMessageId(key, ownAddress);
  return key === address ? null : key;
};

const short = (id: string): string =>
  id.length <= LONGEST ? id : `${createHash('sha256').update(id).digest('hex')}@long.invalid`;

/** The IDs in a header, in their order; of many the first and the last, which are the root and the parents. */
export function readMessageIds(header: string | undefined): string[] {
  const found = [...new Set((header ?? '').split(BETWEEN).filter(isId))].map(short);
  return found.length <= MAX_REFERENCES ? found : [found[0]!, ...found.slice(1 - MAX_REFERENCES)];
}

/** For a mail without a Message-ID: the same for the same header block, wherever it is read again. */
export const deriveMessageId = (headers: Buffer): string =>
  `${createHash('sha256').update(headers).digest('hex')}@unnamed.invalid`;
