/**
 * Links with a password: who knew it carries a signed cookie for ten minutes, which is good for this link and this
 * password alone. Guesses are limited for each link and address, in memory of each process.
 */
import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { PasswordHasher } from '../../../core/auth/identity/password-hash.ts';
import { callerGroup } from '../../../platform/http/caller-address.ts';
import { createTokenBuckets } from '../../../platform/limits/token-buckets.ts';

const COOKIE = 'fairlead_link';
const COOKIE_SECONDS = 600;
const GUESSES = { perMinute: 5, burst: 5 };
const MAX_REMEMBERED = 50_000;
/** Longer ones are not hashed. */
const MAX_PASSWORD = 1_000;

export interface Protected {
  linkId: string;
  passwordHash: string;
}

export interface Unlocking {
  /** @param cookies the header; @param now milliseconds since 1970 */
  isUnlocked(link: Protected, cookies: string | undefined, now: number): boolean;
  /** Returns the seconds until an address may guess the password of a link; 0 for now. */
  waitOf(linkId: string, address: string): number;
  /**
   * Checks a password. It counts as a guess only if it is checked.
   * @returns `seconds` where the address has no guess left @throws Problem unavailable when too many wait
   */
  guess(
    link: Protected,
    password: string,
    address: string,
  ): Promise<{ isRight: boolean } | { seconds: number }>;
  /** Set-Cookie. @param path of the link, as it was asked for */
  cookieOf(link: Protected, now: number, path: string, isSecure: boolean): string;
}

const nameOf = (linkId: string, address: string): string => `${linkId} ${callerGroup(address)}`;

/** @param keys what cookies are signed by: by the first are new ones, by all is looked whether one is ours */
export function createUnlocking(
  keys: [Buffer, ...Buffer[]],
  hasher: Pick<PasswordHasher, 'verify'>,
): Unlocking {
  const guesses = createTokenBuckets(GUESSES, MAX_REMEMBERED);
  const sign = ({ linkId, passwordHash }: Protected, until: string, key = keys[0]): string =>
    createHmac('sha256', key)
      .update(`${linkId}|${hash('sha256', passwordHash)}|${until}`)
      .digest('base64url');
  const isSigned = (link: Protected, value: string, now: number): boolean => {
    const dot = value.indexOf('.');
    const until = value.slice(0, Math.max(0, dot));
    if (!/^\d{1,12}$/.test(until) || Number(until) * 1000 <= now) return false;
    const given = Buffer.from(value.slice(dot + 1));
    return keys.some((key) => {
      const wanted = Buffer.from(sign(link, until, key));
      return given.length === wanted.length && timingSafeEqual(given, wanted);
    });
  };
  return {
    isUnlocked(link, cookies = '', now) {
      const name = `${COOKIE}=`;
      // One of another link may come along, where its path is a part of ours.
      return cookies
        .split(';', 50)
        .map((cookie) => cookie.trim())
        .some((cookie) => cookie.startsWith(name) && isSigned(link, cookie.slice(name.length), now));
    },
    waitOf: (linkId, address) => guesses.wait(nameOf(linkId, address)),
    async guess({ linkId, passwordHash }, password, address) {
      if (password === '' || password.length > MAX_PASSWORD) return { isRight: false };
      const name = nameOf(linkId, address);
      const seconds = guesses.take(name);
      if (seconds > 0) return { seconds };
      try {
        return { isRight: await hasher.verify(passwordHash, password) };
      } catch (error) {
        guesses.give(name);
        throw error;
      }
    },
    cookieOf(link, now, path, isSecure) {
      const until = String(Math.floor(now / 1000) + COOKIE_SECONDS);
      const parts = [`${COOKIE}=${until}.${sign(link, until)}`, `Max-Age=${COOKIE_SECONDS}`, `Path=${path}`];
      return [...parts, 'HttpOnly', 'SameSite=Lax', ...(isSecure ? ['Secure'] : [])].join('; ');
    },
  };
}
