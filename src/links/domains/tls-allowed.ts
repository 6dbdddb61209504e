/**
 * Which names a proxy in front may get certificates for: BASE_URL's host and verified domains. Anybody may ask as often
 * as they like, so answers are kept for a while, and look-ups have a rate.
 */
import type { Database } from '../../db/database.ts';
import { Problem } from '../../http/problem.ts';
import { comparableHost } from '../link-url.ts';
import { isHostVerified } from './hostname.system-store.ts';

const KEPT_MS = 10_000;
const MOST_KEPT = 10_000;
/** Of names that were not asked for lately. */
const MOST_A_SECOND = 100;
const LONGEST = 253;

/** @param now milliseconds of a monotonic clock. @throws Problem unavailable beyond the rate */
export function createTlsAllowed(
  { db, ownHost }: { db: Database; ownHost: string },
  now: () => number = () => performance.now(),
): (name: string) => Promise<boolean> {
  const kept = new Map<string, { allowed: boolean; until: number }>();
  let second = 0;
  let asked = 0;
  const mayAsk = (): boolean => {
    const current = Math.floor(now() / 1000);
    if (current !== second) [second, asked] = [current, 0];
    return ++asked <= MOST_A_SECOND;
  };
  return async (name) => {
    const host = comparableHost(name);
    if (host === ownHost) return true;
    if (host === '' || host.length > LONGEST) return false;
    const known = kept.get(host);
    if (known && known.until > now()) return known.allowed;
    if (!mayAsk())
      throw new Problem('unavailable', 'Too many names are asked for at once.', {
        headers: { 'retry-after': '1' },
      });
    const allowed = await isHostVerified(db, host);
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(host, { allowed, until: now() + KEPT_MS });
    return allowed;
  };
}
