/**
 * Token-bucket rate limits per key and per publishing endpoint.
 *
 * A node draws tokens from the shared bucket about a second ahead, with one draw at a time per key. It spends them from
 * memory and returns unused tokens, so a warm call costs no database round trip.
 */
import { randomBytes } from 'node:crypto';
import type { KeyActor, RateLimit } from '../auth/actor.ts';
import { type Database, isReadOnly } from '../../platform/db/database.ts';
import { Problem } from '../../platform/http/problem.ts';
import { drawTokens } from './rate-limit.system-store.ts';

/** Less than HELD_AT_MOST_SECONDS of the store: a token is spent or expired before the bucket stops counting it. */
const TOKEN_TTL_MS = 1_000;
const GIVE_BACK_EVERY_MS = 250;
/** A node draws at most this fraction (1/n) of the burst ahead, to leave tokens for other nodes. */
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
  /** Tokens left in the bucket at that time. */
  left: number;
  waiting: Waiting[];
  drawing: boolean;
  /** Until then the bucket is known to be empty. */
  emptyUntil: number;
  /** When the token becomes available that Retry-After promised to the last rejected caller. */
  promisedAt: number;
}

/** The subject of a limit: an API key, a signed-in user by user ID, or a publishing endpoint by its own ID. */
export type Limited = Pick<KeyActor, 'keyId' | 'rateLimit'>;

export interface RateLimiter {
  /** Takes one token: true, or a promise. @throws Problem rate_limited */
  take(actor: Limited): true | Promise<true>;
  /**
   * Takes one token of the actor, then one of each of the others. A call rejected by the actor's own limit takes no
   * tokens of the others.
   *
   * @throws Problem rate_limited
   */
  takeAll(actor: Limited, others: readonly Limited[]): true | Promise<true>;
  /** Builds the `RateLimit-Policy` and `RateLimit` headers of a response to this actor. */
  headers(actor: Limited): Record<string, string>;
  /** Returns the remaining tokens to the shared buckets. */
  stop(): Promise<void>;
}

/** @param node name of this node among those that share the database */
export function createRateLimiter(db: Database, node = randomBytes(6).toString('base64url')): RateLimiter {
  const locals = new Map<string, Local>();

  const getLocalBucket = (keyId: string, rateLimit: RateLimit): Local => {
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

  const isValid = ({ drawnAt }: Local): boolean => performance.now() - drawnAt < TOKEN_TTL_MS;

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
      const callers = local.waiting.splice(0);
      try {
        const granted = await draw(local, callers.length, ahead);
        for (const [index, { answer }] of callers.entries()) answer(index < granted);
      } catch (error) {
        // A read-only database can't count calls. Reads stay available while the database is being moved.
        for (const { answer, fail } of callers) {
          if (isReadOnly(error)) answer(true);
          else fail(error);
        }
      }
    }
    local.drawing = false;
  };

  /**
   * Reserves the next token not yet promised and returns the Retry-After seconds. Callers rejected together thus return
   * at different times. None waits longer than the bucket takes to fill, when there is a token for all of them.
   */
  const reserveRetryAfter = (local: Local): number => {
    const { limit, burst } = local.rateLimit;
    const token = 60_000 / limit;
    const now = performance.now();
    const next = Math.max(local.promisedAt + token, local.emptyUntil, now);
    const wait = Math.min(next - now, burst * token);
    local.promisedAt = now + wait;
    return Math.max(1, Math.ceil(wait / 1000));
  };

  const rateLimited = (local: Local, actor: Limited): Problem => {
    const { limit } = local.rateLimit;
    const seconds = reserveRetryAfter(local);
    return new Problem('rate_limited', `You can send ${limit} requests per minute.`, {
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
      // This node no longer uses tokens that it can't return. They expire in the shared bucket automatically.
      await draw(local, 0, 0).catch(() => undefined);
      local.drawing = false;
    }
    if (local.waiting.length) void serve(local);
    else if (local.promisedAt < performance.now()) locals.delete(local.keyId);
  };

  const giveBackIdle = async (): Promise<void> => {
    for (const local of locals.values()) if (!local.drawing && !isValid(local)) await giveBack(local);
  };
  const timer = setInterval(() => void giveBackIdle(), GIVE_BACK_EVERY_MS);
  timer.unref();

  const take = (actor: Limited): true | Promise<true> => {
    if (!actor.rateLimit) return true;
    const local = getLocalBucket(actor.keyId, actor.rateLimit);
    if (local.tokens >= 1 && isValid(local)) {
      local.tokens--;
      return true;
    }
    // Older knowledge of the bucket may be stale: another node returned tokens, or the key's rate changed.
    if (performance.now() < local.emptyUntil && isValid(local)) throw rateLimited(local, actor);
    return new Promise<true>((resolve, reject) => {
      local.waiting.push({
        answer: (granted) => (granted ? resolve(true) : reject(rateLimited(local, actor))),
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
