/**
 * Decides for which names a reverse proxy may request certificates: BASE_URL's host and verified domains. Anyone can
 * trigger this check with a TLS handshake for any name. Results are therefore cached briefly, and lookups are batched:
 * one query at a time reads all names requested meanwhile. A flood of made-up names does not lock out real ones.
 */
import type { Database } from '../../../platform/db/database.ts';
import { Problem } from '../../../platform/http/problem.ts';
import { comparableHost } from '../addresses/link-url.ts';
import { verifiedHosts } from './hostname.system-store.ts';

const CACHE_MS = 10_000;
const MAX_CACHED = 10_000;
/** Maximum number of names per query. */
const MAX_BATCH = 1_000;
/** Maximum number of queued names. */
const MAX_QUEUED = 5_000;
const MAX_LENGTH = 253;

/**
 * Creates the check.
 * @param now monotonic clock in ms. `check`
 * @throws Problem unavailable if too many names are queued
 */
export function createTlsAllowed(
  { db, ownHost }: { db: Database; ownHost: string },
  now: () => number = () => performance.now(),
): (name: string) => Promise<boolean> {
  const cache = new Map<string, { allowed: boolean; until: number }>();
  const queued = new Map<string, PromiseWithResolvers<boolean>>();
  let isReading = false;

  const readBatch = async (batch: [string, PromiseWithResolvers<boolean>][]): Promise<void> => {
    try {
      const verified = await verifiedHosts(
        db,
        batch.map(([host]) => host),
      );
      for (const [host, { resolve }] of batch) {
        if (cache.size >= MAX_CACHED) cache.clear();
        cache.set(host, { allowed: verified.has(host), until: now() + CACHE_MS });
        resolve(verified.has(host));
      }
    } catch (error) {
      for (const [, { reject }] of batch) reject(error);
    }
  };
  const readAll = async (): Promise<void> => {
    isReading = true;
    while (queued.size) {
      const batch = [...queued].slice(0, MAX_BATCH);
      for (const [host] of batch) queued.delete(host);
      await readBatch(batch);
    }
    isReading = false;
  };

  return async (name) => {
    const host = comparableHost(name);
    if (host === ownHost) return true;
    if (host === '' || host.length > MAX_LENGTH) return false;
    const cached = cache.get(host);
    if (cached && cached.until > now()) return cached.allowed;
    const pending = queued.get(host);
    if (pending) return pending.promise;
    if (queued.size >= MAX_QUEUED)
      throw new Problem('unavailable', 'Too many names are being checked.', {
        headers: { 'retry-after': '1' },
      });
    const lookup = Promise.withResolvers<boolean>();
    queued.set(host, lookup);
    if (!isReading) void readAll();
    return lookup.promise;
  };
}
