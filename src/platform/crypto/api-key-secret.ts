/**
 * The secret of an API key: `fl_` + 30 random base62 + 6 base62 of the CRC32 of the characters before. The checksum
 * rejects a typo without a lookup and lets a scanner recognize a leaked key; only the SHA-256 is stored.
 */
import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;
const PREFIX = 'fl_';
const SECRET = /^fl_[0-9A-Za-z]{36}$/;
const SECRET_LENGTH = PREFIX.length + RANDOM_LENGTH + CHECKSUM_LENGTH;
/** Bytes from here up are drawn again, so that each character is equally likely. */
const FAIR_BELOW = 256 - (256 % ALPHABET.length);

function randomBase62(length: number): string {
  let text = '';
  while (text.length < length)
    for (const byte of randomBytes(length))
      if (byte < FAIR_BELOW && text.length < length) text += ALPHABET[byte % ALPHABET.length];
  return text;
}

function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let index = 0; index < CHECKSUM_LENGTH; index++) {
    text = ALPHABET[rest % ALPHABET.length] + text;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
}

/** A new secret: 178 bits of randomness. */
export function generateSecret(): string {
  const body = PREFIX + randomBase62(RANDOM_LENGTH);
  return body + checksum(body);
}

/** Whether a string has the form of a key and its own checksum. */
export function isWellFormedSecret(secret: string): boolean {
  return (
    secret.length === SECRET_LENGTH &&
    SECRET.test(secret) &&
    checksum(secret.slice(0, -CHECKSUM_LENGTH)) === secret.slice(-CHECKSUM_LENGTH)
  );
}

/** Returns the SHA-256 in hex, which is stored and is the key of the cache. */
export const hashSecret = (secret: string): string => hash('sha256', secret, 'hex');

/** Finds the secrets of API keys in a text, also with characters missing or in front of them. */
export const API_KEY_IN_TEXT = /fl_[0-9A-Za-z]{30,}/g;

/** Returns the parts of a secret that may be shown: `fl_x7Qa` and `9dRk`. */
export const maskSecret = (secret: string) => ({ prefix: secret.slice(0, 7), last4: secret.slice(-4) });
