/**
 * The session cookie: `<token>.<HMAC-SHA256 of the token>`, as better-auth signs it. Verifying it needs no database, so
 * invalid cookies are rejected cheaply. The session is then looked up by the token's hash (sessions.system-store.ts).
 */
import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../../platform/config/config.ts';
import type { SecretBox } from '../../platform/crypto/secret-box.ts';

export const COOKIE_PREFIX = 'fairlead_api';
/**
 * The only path that browsers send the session to: `/api/auth` and `/api/v1` need it, and static pages do not. Content
 * on this origin that a workspace controls (inspectors, ingress, media, short links) is outside of it, and must stay
 * outside. A `__Host-` prefix would protect the cookie from sibling hosts, but requires `Path=/`.
 */
export const COOKIE_PATH = '/api';

const TOKEN = /^[A-Za-z0-9]{32}$/;
const TOKEN_LENGTH = 32;

/** Whether cookies are sent over TLS only. */
export const cookiesAreSecure = (config: Pick<Config, 'baseUrl'>): boolean =>
  config.baseUrl.startsWith('https:');

export const sessionCookieName = (config: Pick<Config, 'baseUrl'>): string =>
  `${cookiesAreSecure(config) ? '__Secure-' : ''}${COOKIE_PREFIX}.session_token`;

/** The key of all cookie signatures, as text, because better-auth takes text. */
export const cookieSecret = (secrets: SecretBox): string => cookieSecrets(secrets)[0]!;

/**
 * That key, and those of further secrets while one is rotated. The label differs from the one of `EARLIER_COOKIES`, so
 * that a token taken from an earlier cookie is not valid under the new name either.
 */
const cookieSecrets = (secrets: SecretBox): string[] =>
  secrets.deriveAll('identity cookies of /api').map((key) => key.toString('base64url'));

/** Returns the stored form of a session token. */
export const hashToken = (token: string): string => hash('sha256', token, 'base64url');

export function cookieValue(header: string, name: string): string | null {
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
    return ''; // a lone % makes decoding throw; no value signed here contains one
  }
}

interface Signed {
  text: string;
  /** Which of the keys signed it; 0 is the present one. */
  by: number;
}

const getSignature = (text: string, key: string): Buffer => createHmac('sha256', key).update(text).digest();

/** `<text>.<signature>`, percent-encoded; null where none of the keys signed it. */
function readSigned(value: string, keys: string[]): Signed | null {
  const plain = decoded(value);
  const dot = plain.lastIndexOf('.');
  const text = plain.slice(0, Math.max(dot, 0));
  const given = Buffer.from(plain.slice(dot + 1), 'base64');
  const by = keys.findIndex((key) => {
    const expected = getSignature(text, key);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  return by < 0 ? null : { text, by };
}

/** Creates the reader of Cookie headers. It returns the session token if its signature is valid, otherwise null. */
export function createSessionCookieReader(config: Config, secrets: SecretBox) {
  const name = sessionCookieName(config);
  const keys = cookieSecrets(secrets);
  return (header: string | undefined): string | null => {
    const value = header ? cookieValue(header, name) : null;
    if (!value || !TOKEN.test(decoded(value).slice(0, TOKEN_LENGTH))) return null;
    const signed = readSigned(value, keys);
    return signed && TOKEN.test(signed.text) ? signed.text : null;
  };
}

/**
 * Converts a Cookie header for the library, which only knows the current key: cookies signed with a further key before
 * a rotation are signed again.
 */
export function createCookieRenewal(config: Config, secrets: SecretBox) {
  const prefix = `${cookiesAreSecure(config) ? '__Secure-' : ''}${COOKIE_PREFIX}.`;
  const keys = cookieSecrets(secrets);
  return (header: string): string =>
    keys.length === 1
      ? header
      : header
          .split(';')
          .map((pair) => {
            const [name = '', value = ''] = pair.trim().split('=', 2);
            const signed = name.startsWith(prefix) ? readSigned(value, keys) : null;
            if (!signed?.by) return pair;
            const again = `${signed.text}.${getSignature(signed.text, keys[0]!).toString('base64')}`;
            return `${name}=${encodeURIComponent(again)}`;
          })
          .join('; ');
}

/** Cookies of releases that set them with `Path=/`, which sent them to every address on this origin. */
const EARLIER_COOKIES = /(?:^|;\s*)((?:__Secure-)?fairlead\.(?:session_token|dont_remember))=/g;

/** Makes browsers delete an earlier cookie on any request that still has it. */
export function clearEarlierCookies(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    for (const [, name = ''] of (request.headers.cookie ?? '').matchAll(EARLIER_COOKIES)) {
      const secure = name.startsWith('__Secure-') ? '; Secure' : '';
      reply.header('set-cookie', `${name}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax${secure}`);
    }
    done();
  });
}
