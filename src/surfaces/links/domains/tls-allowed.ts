/**
 * Decides for which names a reverse proxy may request certificates: BASE_URL's host and verified domains. Anyone can
 * trigger this check with a TLS handshake for any name. Results are therefore cached briefly, and lookups are batched:
 * one query at a time reads all names requested meanwhile. A flood of made-up names does not lock out real ones.
 */
import type { Database } from '../../../platform/db/database.ts';
import { Problem } from '../../../platform/http/problem.ts';
import { comparableHost } from '../link-url.ts';
import { verifiedHosts } from './hostname.system-store.ts';

const KEPT_MS = 10_000;
const MAX_KEPT = 10_000;
/** Maximum number of names per query. */
const MAX_AT_ONCE = 1_000;
/** Maximum number of queued names. */
const MAX_WAITING = 5_000;
const LONGEST = 253;

/**
 * Creates the check.
 * @param now monotonic clock in ms. `check`
 * @throws Problem unavailable if too many names are queued
 */
export function createTlsAllowed(
  { db, ownHost }: { db: Database; ownHost: string },
  now: () => number = () => performance.now(),
): (name: string) => Promise<boolean> {
  const kept = new Map<string, { allowed: boolean; until: number }>();
  const waiting = new Map<string, PromiseWithResolvers<boolean>>();
  let isReading = false;

  const readBatch = async (batch: [string, PromiseWithResolvers<boolean>][]): Promise<void> => {
    try {
      const verified = await verifiedHosts(
        db,
        batch.map(([host]) => host),
      );
      for (const [host, { resolve }] of batch) {
        if (kept.size >= MAX_KEPT) kept.clear();
        kept.set(host, { allowed: verified.has(host), until: now() + KEPT_MS });
        resolve(verified.has(host));
      }
    } catch (error) {
      for (const [, { reject }] of batch) reject(error);
    }
  };
  const readAll = async (): Promise<void> => {
    isReading = true;
    while (waiting.size) {
      const batch = [...waiting].slice(0, MAX_AT_ONCE);
      for (const [host] of batch) waiting.delete(host);
      await readBatch(batch);
    }
    isReading = false;
  };

  return async (name) => {
    const host = comparableHost(name);
    if (host === ownHost) return true;
    if (host === '' || host.length > LONGEST) return false;
    const known = kept.get(host);
    if (known && known.until > now()) return known.allowed;
    const there = waiting.get(host);
    if (there) return there.promise;
    if (waiting.size >= MAX_WAITING)
      throw new Problem('unavailable', 'Too many names are being checked.', {
        headers: { 'retry-after': '1' },
      });
    const wanted = Promise.withResolvers<boolean>();
    waiting.set(host, wanted);
    if (!isReading) void readAll();
    return wanted.promise;
  };
}
