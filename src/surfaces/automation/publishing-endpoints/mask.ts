/**
 * Masks values that look secret before a payload is stored as a sample or shown: by field name and by text pattern.
 * | It prefers false positives, but it is a heuristic: a secret that looks like ordinary text under an innocuous name
 * stays visible. Templates see unmasked payloads. Pure; each pattern runs in linear time.
 */
import { ExactNumber } from '../../../platform/json/exact-number.ts';

export const MASK = '[masked]';

/** Deeper than any accepted payload: JSON is rejected beyond 64 levels. */
const MAX_DEPTH = 100;

/** Matched anywhere in a name, ignoring case and separators. */
const SECRET_NAMES = [
  'password',
  'passwd',
  'passphrase',
  'passcode',
  'secret',
  'token',
  'apikey',
  'accesskey',
  'privatekey',
  'signingkey',
  'encryptionkey',
  'credential',
  'authorization',
  'cookie',
  'sessionid',
  'cardnumber',
  'securitycode',
];
/** Matched only as whole words, because many other names contain them. */
const SECRET_WORDS = new Set([
  'auth',
  'pwd',
  'pass',
  'pin',
  'otp',
  'cvv',
  'cvc',
  'csc',
  'ssn',
  'jwt',
  'bearer',
  'pan',
]);
const MAX_NAME = 200;

/** Returns whether a field with this name holds a secret. */
export function isSecretName(name: string): boolean {
  const text = name.slice(0, MAX_NAME);
  const squeezed = text.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase();
  if (SECRET_NAMES.some((one) => squeezed.includes(one))) return true;
  return text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .some((word) => SECRET_WORDS.has(word));
}

/** Patterns with their replacement. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?/g, MASK],
  [/\b(Bearer|Basic|Token)(\s{1,3})[A-Za-z0-9._~+/=-]{8,}/gi, `$1$2${MASK}`],
  [/\b(fl_)[0-9A-Za-z]{30,}/g, `$1${MASK}`],
  [/\b(whsec_)[A-Za-z0-9+/=_-]{8,}/g, `$1${MASK}`],
  [/\b([sr]k_(?:live|test)_)[0-9A-Za-z]{8,}/g, `$1${MASK}`],
  [/\b(gh[oprsu]_|github_pat_|glpat-|npm_|sk-|xox[abeprs]-)[0-9A-Za-z_-]{16,}/g, `$1${MASK}`],
  [/\b(AKIA|ASIA|AIza)[0-9A-Za-z_-]{16,}/g, `$1${MASK}`],
  [/(:\/\/[^\s/?#@:]{0,100}:)[^\s/?#@]{1,200}@/g, `$1${MASK}@`],
];
const QUERY = /([?&;])([^=&;?\s#"'<>]{1,80})=([^&;\s#"'<>]{1,4096})/g;
/** 13 to 19 digits, plain or in groups. Card numbers start with 2 to 6, which excludes Unix times in milliseconds. */
const CARD = /(?<![\d.,-])[2-6]\d{3}(?:[ -]?\d){9,15}(?![\d-]|[.,]\d)/g;

/**
 * Candidates for JSON Web Tokens. Matched whole: a search from each `eyJ-eyJ-…` to the end would take quadratic time.
 */
const DOTTED = /[A-Za-z0-9_.-]{15,}/g;
const JWT_HEAD = /\beyJ[A-Za-z0-9_-]{5}/;
const JWT_PARTS = 3;
const MIN_PART = 5;

function maskTokens(run: string): string {
  if (!run.includes('eyJ')) return run;
  const parts = run.split('.');
  const kept: string[] = [];
  for (let nth = 0; nth < parts.length; nth++) {
    const part = parts[nth]!;
    const isFollowed = (parts[nth + 1]?.length ?? 0) >= MIN_PART;
    const at = isFollowed ? part.search(JWT_HEAD) : -1;
    kept.push(at === -1 ? part : part.slice(0, at) + MASK);
    if (at !== -1) nth += JWT_PARTS - 1;
  }
  return kept.join('.');
}

/** Returns whether digits pass the Luhn check. */
export function isCardNumber(digits: string): boolean {
  let sum = 0;
  for (let nth = 0; nth < digits.length; nth++) {
    const digit = Number(digits[digits.length - 1 - nth]);
    const doubled = nth % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

function maskCard(found: string): string {
  const digits = found.replaceAll(/\D/g, '');
  return isCardNumber(digits) ? `${MASK} ${digits.slice(-4)}` : found;
}

/** Masks secrets in a text. */
export function maskText(text: string): string {
  let masked = text.replace(DOTTED, maskTokens);
  for (const [pattern, kept] of PATTERNS) masked = masked.replace(pattern, kept);
  return masked
    .replace(QUERY, (whole, mark: string, name: string) =>
      isSecretName(name) ? `${mark}${name}=${MASK}` : whole,
    )
    .replace(CARD, maskCard);
}

/** Masks all texts and numbers; null and booleans reveal nothing. */
function maskAll(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value === '' ? '' : MASK;
  if (typeof value === 'number' || value instanceof ExactNumber) return MASK;
  return maskInside(value, depth, maskAll);
}

function maskInside(
  value: unknown,
  depth: number,
  within: (value: unknown, depth: number, name: string | null) => unknown,
): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return MASK;
  if (Array.isArray(value)) return value.map((one) => within(one, depth + 1, null));
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, within(one, depth + 1, name)]));
}

function maskValue(value: unknown, depth: number, name: string | null): unknown {
  if (name !== null && isSecretName(name)) return maskAll(value, depth);
  if (typeof value === 'string') return maskText(value);
  if (typeof value === 'number' || value instanceof ExactNumber) {
    const text = String(value);
    const masked = maskText(text);
    return masked === text ? value : masked;
  }
  return maskInside(value, depth, maskValue);
}

/** Returns a copy of a JSON value with secrets masked. Idempotent. */
export const maskSecrets = (payload: unknown): unknown => maskValue(payload, 0, null);

const SECRET_HEADER = /signature|auth|hmac|digest/i;

/** Masks headers or query parameters, whose names are good indicators of secrets. */
export const maskPairs = (pairs: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(pairs).map(([name, value]) => [
      name,
      SECRET_HEADER.test(name) || isSecretName(name) ? MASK : maskText(value),
    ]),
  );
