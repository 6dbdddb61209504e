/** Addresses of groups in the sandbox, which can be no names: `group:` and 20 hexadecimal digits. */
import { createHash, randomBytes } from 'node:crypto';

const ADDRESS = /^group:([0-9a-f]{20})$/;
const INVITE = /^group:([0-9a-f]{20})(?:\?invite=([A-Za-z0-9_-]{1,64}))?$/;
const ID_DIGITS = 20;

export const isGroupAddress = (address: string): boolean => ADDRESS.test(address);
/** null where it is no group's. */
export const getGroupId = (address: string): string | null => ADDRESS.exec(address)?.[1] ?? null;
export const addressOfGroup = (id: string): string => `group:${id}`;

/** The same for the same maker and client id: two calls make one group. */
export const groupIdFor = (maker: string, clientId: string): string =>
  createHash('sha256').update(`${maker} ${clientId}`).digest('hex').slice(0, ID_DIGITS);

export const newInvite = (): string => randomBytes(12).toString('base64url');
export const getInviteUrl = (id: string, invite: string): string => `${addressOfGroup(id)}?invite=${invite}`;

/** An invitation, or the group's address alone; null where it is neither. */
export function readInvite(text: string): { id: string; invite: string | null } | null {
  const found = INVITE.exec(text.trim());
  return found && { id: found[1]!, invite: found[2] ?? null };
}
