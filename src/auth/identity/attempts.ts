/**
 * Bounds on guessing, for each address and each e-mail, over all processes. Each attempt counts before it is made,
 * so that many at once gain nothing; one that succeeds is taken back. What is counted doesn't depend on whether a
 * user exists, so a refusal tells nothing.
 *
 * An e-mail's own bound is wide: somebody who knows your address could else lock you out with ten wrong passwords.
 */
import { hash } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import type { Database } from '../../db/database.ts';
import { Problem } from '../../http/problem.ts';
import { countAttempts, uncountAttempts } from './attempts.system-store.ts';

const MINUTE = 60;
const HOUR = 3600;

interface Bound {
  most: number;
  windowSeconds: number;
}

/** `pair`: one e-mail from one address. A bound that is absent isn't counted. */
export interface Bounds {
  address?: Bound;
  email?: Bound;
  pair?: Bound;
}

export const DEFAULT_BOUNDS = {
  sign_in: {
    address: { most: 100, windowSeconds: 10 * MINUTE },
    email: { most: 50, windowSeconds: HOUR },
    pair: { most: 10, windowSeconds: 15 * MINUTE },
  },
  sign_up: { address: { most: 100, windowSeconds: HOUR }, email: { most: 20, windowSeconds: HOUR } },
  request_reset: {
    address: { most: 30, windowSeconds: HOUR },
    email: { most: 3, windowSeconds: 15 * MINUTE },
  },
  reset: { address: { most: 30, windowSeconds: 15 * MINUTE } },
  change_password: { email: { most: 10, windowSeconds: 15 * MINUTE } },
} satisfies Record<string, Bounds>;

export type AttemptKind = keyof typeof DEFAULT_BOUNDS;

export interface Attempts {
  /**
   * Counts one attempt.
   * @returns takes it back; to be called when the attempt succeeded.
   * @throws Problem rate_limited with Retry-After.
   */
  count(kind: AttemptKind, who: { ip?: string; email?: string }): Promise<() => Promise<void>>;
}

/** IPv4 whole; IPv6 by /64, which is what one customer gets. */
function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  return address.kind() === 'ipv4' ? address.toString() : address.toByteArray().slice(0, 8).join('.');
}

export function createAttempts(db: Database, bounds: Record<AttemptKind, Bounds> = DEFAULT_BOUNDS): Attempts {
  return {
    async count(kind, { ip, email }) {
      const address = ip === undefined ? null : networkOf(ip);
      const person = email?.toLowerCase() ?? null;
      const subjects: Record<keyof Bounds, string | null> = {
        address,
        email: person,
        pair: address !== null && person !== null ? `${address} ${person}` : null,
      };
      const counters = (Object.keys(subjects) as (keyof Bounds)[]).flatMap((name) => {
        const bound = bounds[kind][name];
        if (!bound || subjects[name] === null) return [];
        return [{ ...bound, key: hash('sha256', `${kind} ${name} ${subjects[name]}`, 'buffer') }];
      });
      const counts = await countAttempts(db, counters);
      const exceeded = counts.filter(
        ({ key, used }) => used > counters.find((one) => one.key.equals(key))!.most,
      );
      if (exceeded.length) {
        const seconds = Math.max(...exceeded.map((one) => one.seconds));
        throw new Problem('rate_limited', `Too many attempts. Try again in ${seconds} seconds.`, {
          headers: { 'retry-after': String(seconds) },
        });
      }
      return () =>
        uncountAttempts(
          db,
          counters.map(({ key }) => key),
        );
    },
  };
}
