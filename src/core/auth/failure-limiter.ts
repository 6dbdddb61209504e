/**
 * Bounds how often one address may fail (unknown keys, wrong passwords of links): a token bucket for each address,
 * in memory of each process.
 */
import { callerGroup } from '../../platform/http/caller-address.ts';
import { Problem } from '../../platform/http/problem.ts';
import { createTokenBuckets } from '../../platform/limits/token-buckets.ts';

export interface FailureLimiter {
  /** @throws Problem rate_limited when the address has failed too often. */
  check(ip: string): void;
  count(ip: string): void;
}

const MAX_ADDRESSES = 50_000;

/**
 * @param perMinute failures that refill per minute
 * @param burst failures allowed in one burst
 */
export function createFailureLimiter(perMinute = 60, burst = 60, now?: () => number): FailureLimiter {
  const buckets = createTokenBuckets({ perMinute, burst }, MAX_ADDRESSES, now);
  return {
    check(ip) {
      const seconds = buckets.wait(callerGroup(ip));
      if (seconds > 0)
        throw new Problem('rate_limited', 'Too many failed attempts from this address.', {
          headers: { 'retry-after': String(seconds) },
        });
    },
    count: (ip) => buckets.drain(callerGroup(ip)),
  };
}
