/**
 * What stands behind `/in/` in an address: a random token where the address itself is the secret, the endpoint's public id
 * where a signature protects it. The database holds hashes alone, so that whoever reads it can post nothing.
 */
import { hash, randomBytes } from 'node:crypto';

/** 256 bits. */
const TOKEN_BYTES = 32;
const SHOWN = 4;

/** A new token of a secret address: 43 characters of base64url. It can be no id. */
export const generateToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url');

/** SHA-256, by which `in_tokens` knows it. @param token as it stands in the address */
export const hashToken = (token: string): Buffer => hash('sha256', token, 'buffer');

/** What is shown of it, so that people can tell two apart. */
export const last4Of = (token: string): string => token.slice(-SHOWN);

/** Where senders post to. @param baseUrl without a slash at its end @param token as of `generateToken`, or the public id */
export const inUrl = (baseUrl: string, token: string): string => `${baseUrl}/in/${token}`;

/** Where holders of a key post to. @param id public id of the endpoint */
export const publishUrl = (baseUrl: string, id: string): string => `${baseUrl}/api/v1/publish/${id}`;
