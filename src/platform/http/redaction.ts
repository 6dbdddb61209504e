/**
 * Removes credentials from requests before they are recorded or passed on. An address that a workspace controls is on
 * the console's origin, so a request to it may carry what a browser, or a proxy in front, adds for this origin.
 */
import { API_KEY_IN_TEXT } from '../crypto/api-key-secret.ts';

export type HeaderPair = [name: string, value: string];

export const REMOVED = '[removed]';

/** Finds signed session tokens in a text, as they are in a Cookie header or decoded. */
const SESSION_TOKEN_IN_TEXT =
  /(?<![A-Za-z0-9])[A-Za-z0-9]{32}(?:\.|%2E)(?:[A-Za-z0-9+/]|%2B|%2F){43}(?:=|%3D)/gi;

/** Finds the cookie that marks a known device. */
const KNOWN_DEVICE_IN_TEXT = /(known_device(?:=|%3D))[^\s;,&"]+/gi;

/** Headers in which a proxy names the signed-in user or sends its own credentials. */
const OF_PROXIES = [
  'cf-access-',
  'client-cert',
  'proxy-auth',
  'remote-',
  'ssl-client-',
  'tailscale-user-',
  'x-amzn-oidc-',
  'x-auth-request-',
  'x-authentik-',
  'x-client-cert',
  'x-forwarded-access-token',
  'x-forwarded-client-cert',
  'x-forwarded-email',
  'x-forwarded-groups',
  'x-forwarded-id-token',
  'x-forwarded-preferred-username',
  'x-forwarded-user',
  'x-goog-authenticated-user-',
  'x-goog-iap-',
  'x-ms-client-principal',
  'x-ms-token-',
  'x-pomerium-',
  'x-remote-',
  'x-ssl-client-',
  'x-vouch-',
  'x-webauth-',
];

/** Returns whether a header contains credentials of a browser's user or of a proxy. */
function isPersonalHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return lower === 'cookie' || lower === 'cookie2' || OF_PROXIES.some((start) => lower.startsWith(start));
}

/** Authentication schemes whose credentials browsers send automatically. */
const BROWSER_SCHEME = /^\s*(basic|digest|negotiate|ntlm)\b.*$/is;

/** Replaces API keys and signed session tokens of Fairlead in a text. */
export const redactText = (text: string): string =>
  text
    .replace(API_KEY_IN_TEXT, `fl_${REMOVED}`)
    .replace(SESSION_TOKEN_IN_TEXT, REMOVED)
    .replace(KNOWN_DEVICE_IN_TEXT, `$1${REMOVED}`);

/** A page of this origin sends its whole address, which can hold a token. */
const redactReferrer = (value: string): string =>
  URL.canParse(value) ? `${new URL(value).origin}/` : REMOVED;

function redactValue(name: string, value: string): string {
  const lower = name.toLowerCase();
  if (lower === 'authorization') return redactText(value.replace(BROWSER_SCHEME, `$1 ${REMOVED}`));
  return redactText(lower === 'referer' ? redactReferrer(value) : value);
}

/** Leaves out personal headers, and removes credentials from the values of the others. */
export const redactHeaders = (headers: readonly HeaderPair[]): HeaderPair[] =>
  headers
    .filter(([name]) => !isPersonalHeader(name))
    .map(([name, value]) => [redactText(name), redactValue(name, value)]);
