/**
 * Tokens in `/in/` URLs: random if the URL itself is the secret, the public ID of the endpoint if a signature protects
 * it. The database stores only hashes, so read access does not allow publishing.
 */
import { hash, randomBytes } from 'node:crypto';

/** 256 bits. */
const TOKEN_BYTES = 32;
const SHOWN = 4;

/** Generates a token for a secret URL: 43 characters of base64url. It can never equal a public ID. */
export const generateToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url');

/**
 * Returns the SHA-256 that identifies a token in `in_tokens`.
 * @param token as in the URL
 */
export const hashToken = (token: string): Buffer => hash('sha256', token, 'buffer');

/** Returns the last characters of a token, to tell tokens apart. */
export const getLast4 = (token: string): string => token.slice(-SHOWN);

/**
 * Builds the URL that senders post to.
 * @param baseUrl without trailing slash
 * @param token from `generateToken`, or the public ID
 */
export const inUrl = (baseUrl: string, token: string): string => `${baseUrl}/in/${token}`;

/**
 * Builds the URL for publishing with an API key.
 * @param id public ID of the endpoint
 */
export const publishUrl = (baseUrl: string, id: string): string => `${baseUrl}/api/v1/publish/${id}`;
