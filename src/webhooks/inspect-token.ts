/**
 * The secret in an inspector's address: 256 random bits. It is sealed, because it is shown again, and found by its
 * SHA-256.
 */
import { createHash, randomBytes } from 'node:crypto';

const TOKEN = /^[A-Za-z0-9_-]{43}$/;
const PATH = '/inspect/';

export const generateInspectToken = (): string => randomBytes(32).toString('base64url');

export const hashInspectToken = (token: string): Buffer => createHash('sha256').update(token).digest();

export const inspectUrl = (baseUrl: string, token: string): string => `${baseUrl}${PATH}${token}`;

/**
 * The token of an address that is an inspector's, letter by letter; null for any other. Another way to write the
 * same address (upper case, a port that goes without saying, a query, dots) is another address.
 */
export function tokenOfUrl(baseUrl: string, url: string): string | null {
  const start = baseUrl + PATH;
  const token = url.slice(start.length);
  return url.startsWith(start) && TOKEN.test(token) ? token : null;
}

export interface InspectTarget {
  token: string;
  /** What stands behind the token, as it was sent: empty, or from a slash on. */
  path: string;
  /** Without its question mark; null where there is none. */
  query: string | null;
}

/** The parts of a request's target under /inspect/; null where it can't have a token. */
export function readInspectTarget(target: string): InspectTarget | null {
  const [, token = '', path = '', query] = /^\/inspect\/([^/?]+)([^?]*)(?:\?(.*))?$/s.exec(target) ?? [];
  return TOKEN.test(token) ? { token, path, query: query ?? null } : null;
}
