/**
 * Limits guessing per address, per email and per pair of both, across all processes.
 *
 * An attempt counts before its password or token is checked, so concurrent attempts gain nothing. It is taken back when
 * the check succeeds or never happened. An attempt that one bound refuses counts toward no other: otherwise anyone
 * could use up an email's bound from one address with attempts that were never checked. The counts don't depend on
 * whether a user exists, so a refusal reveals nothing.
 *
 * Successes have a bound of their own, per email: a person who knows a password can't keep the server busy with it. It
 * counts only sign-ins that succeeded, so strangers can't use it up.
 *
 * A known device (known-devices.ts) has a bound of its own and no other, and a known address is exempt from the email's
 * bound: strangers can't lock out a user who signed in before.
 */
import { hash } from 'node:crypto';
import type { Database } from '../../../platform/db/database.ts';
import { callerGroup, callerNetworks } from '../../../platform/http/caller-address.ts';
import { Problem } from '../../../platform/http/problem.ts';
import { countAttempts, readCount, uncountAttempts } from './attempts.system-store.ts';

const MINUTE = 60;
const HOUR = 3600;

interface Bound {
  max: number;
  windowSeconds: number;
  /** Maxima of the IPv6 /56 and /48 of the address. Default: these aren't counted. */
  ofNetworks?: readonly [number, number];
}

/**
 * `pair`: one email from one address; `device`: one email from one known device; `success`: successes of one email. An
 * absent bound isn't counted.
 */
export interface Bounds {
  address?: Bound;
  email?: Bound;
  pair?: Bound;
  device?: Bound;
  session?: Bound;
  success?: Bound;
}

export const DEFAULT_BOUNDS = {
  sign_in: {
    address: { max: 100, windowSeconds: 10 * MINUTE, ofNetworks: [200, 400] },
    email: { max: 50, windowSeconds: HOUR },
    // In an hour less than the email's bound: no customer of a provider uses it up, however many addresses they have.
    pair: { max: 10, windowSeconds: 15 * MINUTE, ofNetworks: [11, 12] },
    device: { max: 10, windowSeconds: 15 * MINUTE },
    success: { max: 60, windowSeconds: 15 * MINUTE },
  },
  // No bound per email: it would let strangers keep an invited person from signing up.
  sign_up: { address: { max: 100, windowSeconds: HOUR, ofNetworks: [200, 400] } },
  // Without an invitation. Each user has a share of the common limit.
  open_sign_up: { address: { max: 20, windowSeconds: HOUR, ofNetworks: [40, 80] } },
  request_reset: {
    address: { max: 30, windowSeconds: HOUR, ofNetworks: [60, 120] },
    email: { max: 3, windowSeconds: 15 * MINUTE },
  },
  reset: { address: { max: 30, windowSeconds: 15 * MINUTE, ofNetworks: [60, 120] } },
  // Per session: a stolen session must not keep the user from changing the password in another.
  change_password: { session: { max: 10, windowSeconds: 15 * MINUTE } },
} satisfies Record<string, Bounds>;

export type AttemptKind = keyof typeof DEFAULT_BOUNDS;

/** The source of an attempt. Absent values aren't counted. */
export interface Subject {
  ip?: string;
  email?: string;
  /** ID of the session. */
  session?: string;
  /** ID of a device that is known for this email. */
  device?: string | null;
  /** Whether the address is known for this email. */
  isKnownAddress?: boolean;
}

interface BoundCounter extends Bound {
  name: string;
  key: Buffer;
}

export interface Attempts {
  /**
   * Counts one attempt, whether or not it succeeds.
   * @throws Problem rate_limited with Retry-After; nothing is counted then
   */
  count(kind: AttemptKind, subject: Subject): Promise<void>;
  /**
   * Runs `check` as one attempt. A wrong password stays counted, and a success counts toward its own bound.
   * @throws Problem rate_limited with Retry-After, without running `check`; any error of `check`
   */
  check<T>(kind: AttemptKind, subject: Subject, check: () => Promise<T>): Promise<T>;
}

const FAILED_CHECKS = new Set(['invalid_credentials', 'wrong_password']);

/**
 * Returns the key that each bound counts by; null for a bound that doesn't apply. `address`: of the caller, or a
 * network of it.
 */
function getKeys(
  { email, session, device, isKnownAddress }: Subject,
  address: string | null,
): Record<keyof Bounds, string | null> {
  const person = email?.toLowerCase() ?? null;
  if (device)
    return {
      address: null,
      email: null,
      pair: null,
      device: `${device} ${person}`,
      session: null,
      success: person,
    };
  return {
    address,
    email: isKnownAddress ? null : person,
    pair: address !== null && person !== null ? `${address} ${person}` : null,
    device: null,
    session: session ?? null,
    success: person,
  };
}

export function createAttempts(db: Database, bounds: Record<AttemptKind, Bounds> = DEFAULT_BOUNDS): Attempts {
  const getCounters = (kind: AttemptKind, subject: Subject): BoundCounter[] => {
    const { ip } = subject;
    const getBy = (address: string | null, getMax: (bound: Bound) => number | undefined): BoundCounter[] =>
      Object.entries(getKeys(subject, address)).flatMap(([name, key]) => {
        const bound = bounds[kind][name as keyof Bounds];
        const max = bound && getMax(bound);
        return max !== undefined && key !== null
          ? [{ ...bound!, max, name, key: hash('sha256', `${kind} ${name} ${key}`, 'buffer') }]
          : [];
      });
    const networks = ip === undefined ? [] : callerNetworks(ip);
    return [
      ...getBy(ip === undefined ? null : callerGroup(ip), ({ max }) => max),
      ...networks.flatMap((network, nth) => getBy(network, ({ ofNetworks }) => ofNetworks?.[nth])),
    ];
  };

  /** @returns the counters that the attempt counts on, and the one that a success will. */
  const count = async (
    kind: AttemptKind,
    subject: Subject,
  ): Promise<{ tried: BoundCounter[]; success: BoundCounter | undefined }> => {
    const counters = getCounters(kind, subject);
    const success = counters.find(({ name }) => name === 'success');
    const tried = counters.filter((one) => one !== success);
    if (!counters.length) return { tried, success };
    // Throwing rolls back: a refused attempt leaves no count behind, not even for as long as it takes to undo it.
    await db.transaction().execute(async (trx) => {
      const counts = tried.length ? await countAttempts(trx, tried) : [];
      const exceeded = counts.filter(({ key, used }) => used > tried.find((one) => one.key.equals(key))!.max);
      const succeeded = success && (await readCount(trx, success.key));
      if (succeeded && succeeded.used >= success.max) exceeded.push(succeeded);
      if (!exceeded.length) return;
      const seconds = Math.max(...exceeded.map((one) => one.seconds));
      throw new Problem('rate_limited', `Too many attempts. Try again in ${seconds} seconds.`, {
        headers: { 'retry-after': String(seconds) },
      });
    });
    return { tried, success };
  };

  return {
    async count(kind, subject) {
      await count(kind, subject);
    },
    async check(kind, subject, check) {
      const { tried, success } = await count(kind, subject);
      let isWrong = false;
      let hasLeft = false;
      try {
        const result = await check();
        if (success) await countAttempts(db, [success]);
        return result;
      } catch (error) {
        isWrong = error instanceof Problem && FAILED_CHECKS.has(error.code);
        hasLeft = error instanceof Problem && error.code === 'request_timeout';
        throw error;
      } finally {
        if (!isWrong)
          await uncountAttempts(
            db,
            // A hash that the caller did not wait for stays counted for the address.
            tried.filter(({ name }) => !hasLeft || name !== 'address').map(({ key }) => key),
          );
      }
    },
  };
}
