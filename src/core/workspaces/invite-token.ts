/** The secret in an invitation's link: 256 random bits, of which only the SHA-256 is stored. */
import { createHash, randomBytes } from 'node:crypto';

export const generateInviteToken = (): string => randomBytes(32).toString('base64url');

export const hashInviteToken = (token: string): Buffer => createHash('sha256').update(token).digest();

/** Where the link leads: a page of the console. */
export const invitationUrl = (baseUrl: string, token: string): string =>
  `${baseUrl}/user/api/invite/${token}`;
