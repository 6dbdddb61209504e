/**
 * The session cookie: `<token>.<HMAC-SHA256 of the token>`, as better-auth signs it. Reading it needs no database,
 * so that junk is refused for free. What the token stands for is looked up by its hash (sessions.system-store.ts).
 */
import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { Config } from '../../config.ts';
import type { SecretBox } from '../secret-box.ts';

export const COOKIE_PREFIX = 'fairlead';
const TOKEN = /^[A-Za-z0-9]{32}$/;

/** Whether cookies are sent over TLS only. */
export const cookiesAreSecure = (config: Config): boolean => config.baseUrl.startsWith('https:');

const sessionCookieName = (config: Config): string =>
  `${cookiesAreSecure(config) ? '__Secure-' : ''}${COOKIE_PREFIX}.session_token`;

/** The key of all cookie signatures, as text, because better-auth takes text. */
export const cookieSecret = (secrets: SecretBox): string =>
  secrets.derive('identity cookies').toString('base64url');

/** What is stored of a session token. */
export const hashToken = (token: string): string => hash('sha256', token, 'base64url');

function cookieValue(header: string, name: string): string | null {
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=');
    if (equals > 0 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return null;
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return ''; // a lone % is only told by throwing; such a value was never signed here
  }
}

/** Makes the reader of Cookie headers: the session token if its signature holds, else null. */
export function createSessionCookieReader(config: Config, secrets: SecretBox) {
  const name = sessionCookieName(config);
  const secret = cookieSecret(secrets);
  return (header: string | undefined): string | null => {
    if (!header) return null;
    const value = decoded(cookieValue(header, name) ?? '');
    const dot = value.lastIndexOf('.');
    const token = value.slice(0, Math.max(dot, 0));
    if (!TOKEN.test(token)) return null;
    const expected = createHmac('sha256', secret).update(token).digest();
    const given = Buffer.from(value.slice(dot + 1), 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected) ? token : null;
  };
}
