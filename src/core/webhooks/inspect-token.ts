/**
 * The secret in an inspector's address: 256 random bits. It is sealed, because it is shown again, and found by its
 * SHA-256. Webhooks and rules of the same workspace refer to the inspector by an address with its ID instead, which is
 * no secret and which only deliveries within this server accept.
 */
import { createHash, randomBytes } from 'node:crypto';
import { publicId, toUuid } from '../vocabulary/ids.ts';

const TOKEN = /^[A-Za-z0-9_-]{43}$/;
const PATH = '/inspect/';

export const generateInspectToken = (): string => randomBytes(32).toString('base64url');

export const hashInspectToken = (token: string): Buffer => createHash('sha256').update(token).digest();

export const inspectUrl = (baseUrl: string, token: string): string => `${baseUrl}${PATH}${token}`;

/** @param id uuid of the inspector */
export const inspectUrlById = (baseUrl: string, id: string): string =>
  inspectUrl(baseUrl, publicId('inspector', id));

/** Finds an inspector by its token, or by its UUID within the delivering workspace. */
export type InspectorRef = { token: string } | { id: string };

/**
 * Reads an address that is an inspector's, letter by letter; null for any other. Another way to write the same address
 * (upper case, a port that goes without saying, a query, dots) is another address.
 */
export function readInspectUrl(baseUrl: string, url: string): InspectorRef | null {
  const start = baseUrl + PATH;
  if (!url.startsWith(start)) return null;
  const rest = url.slice(start.length);
  if (TOKEN.test(rest)) return { token: rest };
  const id = toUuid('inspector', rest);
  return id === null ? null : { id };
}

export interface InspectTarget {
  token: string;
  /** The part after the token, as sent: empty, or starting with a slash. */
  path: string;
  /** Without its question mark; null if there is none. */
  query: string | null;
}

/** The parts of a request's target under /inspect/; null where it can't have a token. */
export function readInspectTarget(target: string): InspectTarget | null {
  const [, token = '', path = '', query] = /^\/inspect\/([^/?]+)([^?]*)(?:\?(.*))?$/s.exec(target) ?? [];
  return TOKEN.test(token) ? { token, path, query: query ?? null } : null;
}
