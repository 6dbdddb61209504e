/**
 * Bounds how often one address may fail (unknown keys, wrong passwords of links): a token bucket for each address,
 * in memory of each process. IPv6 callers are counted by their /64, which is what one customer gets.
 */
import ipaddr from 'ipaddr.js';
import { Problem } from '../http/problem.ts';

export interface FailureLimiter {
  /** @throws Problem rate_limited when the address has failed too often. */
  check(ip: string): void;
  count(ip: string): void;
}

const MOST_ADDRESSES = 50_000;

function bucketOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  return address.kind() === 'ipv4' ? address.toString() : address.toByteArray().slice(0, 8).join('.');
}

/** @param perMinute failures that refill a minute; @param burst failures that may come at once. */
export function createFailureLimiter(
  perMinute = 60,
  burst = 60,
  now: () => number = () => performance.now(),
): FailureLimiter {
  const buckets = new Map<string, { left: number; at: number }>();
  const refilled = (ip: string) => {
    const bucket = buckets.get(ip) ?? { left: burst, at: now() };
    const left = Math.min(burst, bucket.left + ((now() - bucket.at) * perMinute) / 60_000);
    return { left, at: now() };
  };
  return {
    check(ip) {
      const { left } = refilled(bucketOf(ip));
      if (left >= 1) return;
      const seconds = Math.ceil(((1 - left) * 60) / perMinute);
      throw new Problem('rate_limited', 'Too many failed attempts from this address.', {
        headers: { 'retry-after': String(seconds) },
      });
    },
    count(ip) {
      const key = bucketOf(ip);
      const bucket = refilled(key);
      buckets.delete(key);
      buckets.set(key, { left: Math.max(0, bucket.left - 1), at: bucket.at });
      if (buckets.size > MOST_ADDRESSES) buckets.delete(buckets.keys().next().value!);
    },
  };
}
