/** Addresses of sandbox groups, which are never valid names: `group:` and 20 hexadecimal digits. */
import { createHash, randomBytes } from 'node:crypto';

const ADDRESS = /^group:([0-9a-f]{20})$/;
const INVITE = /^group:([0-9a-f]{20})(?:\?invite=([A-Za-z0-9_-]{1,64}))?$/;
const ID_DIGITS = 20;

export const isGroupAddress = (address: string): boolean => ADDRESS.test(address);
/** Returns null if the address is not that of a group. */
export const getGroupId = (address: string): string | null => ADDRESS.exec(address)?.[1] ?? null;
export const toGroupAddress = (id: string): string => `group:${id}`;

/** Deterministic, so that repeated calls with the same creator and client ID create one group. */
export const toGroupId = (creator: string, clientId: string): string =>
  createHash('sha256').update(`${creator} ${clientId}`).digest('hex').slice(0, ID_DIGITS);

export const newInvite = (): string => randomBytes(12).toString('base64url');
export const getInviteUrl = (id: string, invite: string): string => `${toGroupAddress(id)}?invite=${invite}`;

/** Parses an invitation or a plain group address; null if it is neither. */
export function readInvite(text: string): { id: string; invite: string | null } | null {
  const found = INVITE.exec(text.trim());
  return found && { id: found[1]!, invite: found[2] ?? null };
}
