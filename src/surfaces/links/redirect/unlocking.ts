/**
 * Unlocks password-protected links. After a correct password, the visitor gets a signed cookie that is valid for ten
 * minutes, for this link and this password only. Attempts are rate limited by link and IP address, per process, and
 * checked in turns: by address, then by link.
 */
import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { PasswordHasher } from '../../../core/auth/identity/password-hash.ts';
import { callerPath } from '../../../platform/http/caller-address.ts';
import { createTokenBuckets } from '../../../platform/limits/token-buckets.ts';

const COOKIE = 'fairlead_link';
const COOKIE_SECONDS = 600;
const ATTEMPTS = { perMinute: 5, burst: 5 };
/** Of all addresses of a site (an IPv6 /48). */
const ATTEMPTS_OF_SITE = { perMinute: 15, burst: 15 };
const MAX_TRACKED = 50_000;
/** Longer passwords are rejected without hashing. */
const MAX_PASSWORD = 1_000;

export interface Protected {
  linkId: string;
  passwordHash: string;
}

export interface Unlocking {
  /** Returns whether a valid cookie is present. @param cookies the Cookie header; @param now milliseconds since 1970 */
  isUnlocked(link: Protected, cookies: string | undefined, now: number): boolean;
  /** Returns the seconds until an IP address may try the password of a link again; 0 for now. */
  getRetryAfter(linkId: string, address: string): number;
  /**
   * Checks a password. Only attempts that are checked count.
   * @returns `seconds` to wait if the address has no attempt left
   * @throws Problem unavailable if too many checks are queued
   */
  attempt(
    link: Protected,
    password: string,
    address: string,
  ): Promise<{ isCorrect: boolean } | { seconds: number }>;
  /** Builds the Set-Cookie header. @param path of the link, as requested */
  buildCookie(link: Protected, now: number, path: string, isSecure: boolean): string;
}

/** @param keys signing keys of cookies: the first one signs, all of them verify */
export function createUnlocking(
  keys: [Buffer, ...Buffer[]],
  hasher: Pick<PasswordHasher, 'verify'>,
): Unlocking {
  const ofSites = createTokenBuckets(ATTEMPTS_OF_SITE, MAX_TRACKED);
  const ofGroups = createTokenBuckets(ATTEMPTS, MAX_TRACKED);
  const getBuckets = (linkId: string, address: string) => {
    const [site, group] = callerPath(address);
    return [
      { buckets: ofSites, name: `${linkId} ${site}` },
      { buckets: ofGroups, name: `${linkId} ${group}` },
    ];
  };
  const getRetryAfter = (linkId: string, address: string): number =>
    Math.max(...getBuckets(linkId, address).map(({ buckets, name }) => buckets.wait(name)));
  const sign = ({ linkId, passwordHash }: Protected, until: string, key = keys[0]): string =>
    createHmac('sha256', key)
      .update(`${linkId}|${hash('sha256', passwordHash)}|${until}`)
      .digest('base64url');
  const isSigned = (link: Protected, value: string, now: number): boolean => {
    const dot = value.indexOf('.');
    const until = value.slice(0, Math.max(0, dot));
    if (!/^\d{1,12}$/.test(until) || Number(until) * 1000 <= now) return false;
    const signature = Buffer.from(value.slice(dot + 1));
    return keys.some((key) => {
      const expected = Buffer.from(sign(link, until, key));
      return signature.length === expected.length && timingSafeEqual(signature, expected);
    });
  };
  return {
    isUnlocked(link, cookies = '', now) {
      const name = `${COOKIE}=`;
      // There may be several cookies, if another link's path is a prefix of this one.
      return cookies
        .split(';', 50)
        .map((cookie) => cookie.trim())
        .some((cookie) => cookie.startsWith(name) && isSigned(link, cookie.slice(name.length), now));
    },
    getRetryAfter,
    async attempt({ linkId, passwordHash }, password, address) {
      if (password === '' || password.length > MAX_PASSWORD) return { isCorrect: false };
      const seconds = getRetryAfter(linkId, address);
      if (seconds > 0) return { seconds };
      const taken = getBuckets(linkId, address);
      for (const { buckets, name } of taken) buckets.take(name);
      try {
        const isCorrect = await hasher.verify(passwordHash, password, [...callerPath(address), linkId]);
        // Visitors with the correct password don't use up the guesses of others on their network.
        if (isCorrect) taken[0]!.buckets.give(taken[0]!.name);
        return { isCorrect };
      } catch (error) {
        for (const { buckets, name } of taken) buckets.give(name);
        throw error;
      }
    },
    buildCookie(link, now, path, isSecure) {
      const until = String(Math.floor(now / 1000) + COOKIE_SECONDS);
      const parts = [`${COOKIE}=${until}.${sign(link, until)}`, `Max-Age=${COOKIE_SECONDS}`, `Path=${path}`];
      return [...parts, 'HttpOnly', 'SameSite=Lax', ...(isSecure ? ['Secure'] : [])].join('; ');
    },
  };
}
