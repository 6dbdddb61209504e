/**
 * Token buckets per key, and per publishing endpoint. A node draws tokens from the shared bucket, about a second's worth ahead and single flight,
 * spends them from memory, and gives back what it did not use; so a warm call costs no database round trip.
 */
import { randomBytes } from 'node:crypto';
import type { KeyActor, RateLimit } from '../auth/actor.ts';
import { type Database, isReadOnly } from '../../platform/db/database.ts';
import { Problem } from '../../platform/http/problem.ts';
import { drawTokens } from './rate-limit.system-store.ts';

/** Less than HELD_AT_MOST_SECONDS of the store: a token is spent or void before the bucket stops counting it. */
const KEPT_MS = 1_000;
const GIVE_BACK_EVERY_MS = 250;
/** Of the burst, what one node draws ahead at most: the others must find some. */
const MAX_AHEAD_SHARE = 4;

interface Waiting {
  answer: (granted: boolean) => void;
  fail: (error: unknown) => void;
}

interface Local {
  keyId: string;
  rateLimit: RateLimit;
  /** Drawn ahead and not spent yet. */
  tokens: number;
  /** performance.now() before the draw that gave the tokens began. */
  drawnAt: number;
  /** What was left in the bucket then. */
  left: number;
  waiting: Waiting[];
  drawing: boolean;
  /** Until then the bucket is known to be empty. */
  emptyUntil: number;
  /** When the token is free that the last refused caller was promised by Retry-After. */
  promisedAt: number;
}

/** Whose calls are counted: a key, a signed-in person by their user's id, or a publishing endpoint by its own. */
export type Limited = Pick<KeyActor, 'keyId' | 'rateLimit'>;

export interface RateLimiter {
  /** Takes one token: true, or a promise. @throws Problem rate_limited */
  take(actor: Limited): true | Promise<true>;
  /**
   * Takes one token of the actor, then one of each of the others. What the actor's own limit refuses costs the others
   * nothing.
   *
   * @throws Problem rate_limited
   */
  takeAll(actor: Limited, others: readonly Limited[]): true | Promise<true>;
  /** `RateLimit-Policy` and `RateLimit` for an answer to this key. */
  headers(actor: Limited): Record<string, string>;
  /** Gives back what is left. */
  stop(): Promise<void>;
}

/** @param node name of this node among those that share the database */
export function createRateLimiter(db: Database, node = randomBytes(6).toString('base64url')): RateLimiter {
  const locals = new Map<string, Local>();

  const localOf = (keyId: string, rateLimit: RateLimit): Local => {
    let local = locals.get(keyId);
    if (!local) {
      local = {
        keyId,
        rateLimit,
        tokens: 0,
        drawnAt: Number.NEGATIVE_INFINITY,
        left: rateLimit.burst,
        waiting: [],
        drawing: false,
        emptyUntil: 0,
        promisedAt: 0,
      };
      locals.set(keyId, local);
    }
    local.rateLimit = rateLimit;
    return local;
  };

  const isKept = ({ drawnAt }: Local): boolean => performance.now() - drawnAt < KEPT_MS;

  /** @returns how many of the tokens needed were granted; those ahead are in `local.tokens`. */
  const draw = async (local: Local, needed: number, ahead: number): Promise<number> => {
    const startedAt = performance.now();
    const unused = local.tokens;
    local.tokens = 0;
    const { granted, left } = await drawTokens(db, local.keyId, local.rateLimit, {
      node,
      needed,
      ahead,
      unused,
    });
    local.drawnAt = startedAt;
    local.left = left;
    local.tokens = Math.max(0, granted - needed);
    const perMs = local.rateLimit.limit / 60_000;
    local.emptyUntil = granted >= needed + ahead ? 0 : performance.now() + Math.max(0, 1 - left) / perMs;
    return Math.min(granted, needed);
  };

  const serve = async (local: Local): Promise<void> => {
    local.drawing = true;
    while (local.waiting.length) {
      const { limit, burst } = local.rateLimit;
      const ahead = Math.min(Math.ceil(limit / 60), Math.floor(burst / MAX_AHEAD_SHARE));
      const asking = local.waiting.splice(0);
      try {
        const granted = await draw(local, asking.length, ahead);
        for (const [index, { answer }] of asking.entries()) answer(index < granted);
      } catch (error) {
        // A database that takes no writes counts no calls; reading goes on for the while that it is moved.
        for (const { answer, fail } of asking) {
          if (isReadOnly(error)) answer(true);
          else fail(error);
        }
      }
    }
    local.drawing = false;
  };

  /**
   * Promises the next token that nobody was promised yet: callers that were refused together and come back when they were
   * told to don't meet again. None waits longer than the bucket takes to fill, when there is a token for all of them.
   */
  const promise = (local: Local): number => {
    const { limit, burst } = local.rateLimit;
    const token = 60_000 / limit;
    const now = performance.now();
    const next = Math.max(local.promisedAt + token, local.emptyUntil, now);
    const wait = Math.min(next - now, burst * token);
    local.promisedAt = now + wait;
    return Math.max(1, Math.ceil(wait / 1000));
  };

  const denied = (local: Local, actor: Limited): Problem => {
    const { limit } = local.rateLimit;
    const seconds = promise(local);
    return new Problem('rate_limited', `You may make ${limit} requests a minute.`, {
      headers: { 'retry-after': String(seconds), ...headers(actor) },
    });
  };

  const headers = (actor: Limited): Record<string, string> => {
    if (!actor.rateLimit) return {};
    const { limit, burst } = actor.rateLimit;
    const local = locals.get(actor.keyId);
    const left = Math.max(0, Math.floor((local?.left ?? burst) + (local?.tokens ?? 0)));
    const seconds = Math.ceil(((burst - Math.min(left, burst)) * 60) / limit);
    return {
      'ratelimit-policy': `"default";q=${limit};w=60;burst=${burst}`,
      ratelimit: `"default";r=${left};t=${seconds}`,
    };
  };

  const giveBack = async (local: Local): Promise<void> => {
    if (local.tokens > 0) {
      local.drawing = true;
      // Tokens that can't be given back are void to this node, and the bucket forgets them by itself.
      await draw(local, 0, 0).catch(() => undefined);
      local.drawing = false;
    }
    if (local.waiting.length) void serve(local);
    else if (local.promisedAt < performance.now()) locals.delete(local.keyId);
  };

  const giveBackIdle = async (): Promise<void> => {
    for (const local of locals.values()) if (!local.drawing && !isKept(local)) await giveBack(local);
  };
  const timer = setInterval(() => void giveBackIdle(), GIVE_BACK_EVERY_MS);
  timer.unref();

  const take = (actor: Limited): true | Promise<true> => {
    if (!actor.rateLimit) return true;
    const local = localOf(actor.keyId, actor.rateLimit);
    if (local.tokens >= 1 && isKept(local)) {
      local.tokens--;
      return true;
    }
    // What was known of the bucket a while ago may be wrong: another node gave back tokens, or the key got another rate.
    if (performance.now() < local.emptyUntil && isKept(local)) throw denied(local, actor);
    return new Promise<true>((resolve, reject) => {
      local.waiting.push({
        answer: (granted) => (granted ? resolve(true) : reject(denied(local, actor))),
        fail: reject,
      });
      if (!local.drawing) void serve(local);
    });
  };

  const takeAll = (actor: Limited, others: readonly Limited[]): true | Promise<true> => {
    const taken = take(actor);
    const [next, ...rest] = others;
    if (!next) return taken;
    return taken === true ? takeAll(next, rest) : taken.then(() => takeAll(next, rest));
  };

  return {
    take,
    takeAll,
    headers,
    async stop() {
      clearInterval(timer);
      await Promise.all([...locals.values()].filter(({ drawing }) => !drawing).map(giveBack));
    },
  };
}
