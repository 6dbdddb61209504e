/**
 * Answers that take long or stay open (server-sent events, model output): headers as for any answer, back-pressure, and a
 * look at the actor every 250 ms and before each chunk, so that a revoked key's stream ends within a second and nothing
 * goes into it later.
 */
import { once } from 'node:events';
import type { FastifyReply } from 'fastify';
import type { Actor } from '../auth/actor.ts';
import type { Guard } from '../auth/guard.ts';
import { Problem } from '../../platform/http/problem.ts';

const CHECK_EVERY_MS = 250;
/** Time in ms that a caller who doesn't read keeps the socket after the response was ended. */
const DRAIN_MS = 500;

export interface OpenAnswer {
  /** Aborts when the caller leaves, the actor loses its right, or the server stops; also when the answer ends. */
  signal: AbortSignal;
  /**
   * Resolves once the caller has read enough, synchronously if that is already the case; false when the stream has
   * ended.
   */
  write(chunk: string | Uint8Array): boolean | Promise<boolean>;
  end(): void;
  /** Closes the connection, so that the caller sees an incomplete answer. */
  cut(): void;
}

/** A caller waiting for a stream that isn't open yet. */
export interface Caller {
  /**
   * Aborts when the caller leaves, the actor loses its right, or the server stops. In the last two cases its reason is the
   * Problem to answer with.
   */
  signal: AbortSignal;
  /**
   * Sends status and headers; at most once. If the length of the response is known, they are sent with its first chunk.
   */
  open(status: number, headers: Record<string, string | string[]>): OpenAnswer;
  /** Stops watching. An answer that is open is cut. */
  release(): void;
}

/** Maximum number of open answers in this process. */
export interface OpenLimits {
  /** Name under which streams are counted together. */
  name: string;
  ofActor: number;
  ofWorkspace: number;
}
const STREAMS: OpenLimits = { name: 'streams', ofActor: 100, ofWorkspace: 1_000 };

/** Why the signal of an answer that has ended aborts. Each reason of its own would cost a stack trace. */
const ENDED = new DOMException('The answer has ended.', 'AbortError');

const open = new Set<AbortController>();
const countOpen = new Map<string, number>();

/** Counts one for each name. @throws Problem rate_limited when one of them has as many as it may. @returns the undoing */
function take(what: string, bounds: [name: string, max: number][]): () => void {
  for (const [name, max] of bounds)
    if ((countOpen.get(name) ?? 0) >= max)
      throw new Problem('rate_limited', `There are already ${max} open ${what}. Close some first.`, {
        headers: { 'retry-after': '5' },
      });
  const add = (by: number): void => {
    for (const [name] of bounds) {
      const count = (countOpen.get(name) ?? 0) + by;
      if (count > 0) countOpen.set(name, count);
      else countOpen.delete(name);
    }
  };
  add(1);
  return () => add(-1);
}

/** Ends all open answers; for a graceful stop. */
export function endOpenAnswers(): void {
  const reason = new Problem('unavailable', 'The server is stopping.', { headers: { 'retry-after': '1' } });
  for (const controller of open) controller.abort(reason);
}

/**
 * Watches a caller from before the answer is open until it ends.
 * @param options.cutsOff whether an answer that is ended early must look incomplete to the caller
 * @throws Problem rate_limited, before anything is sent, when too many are open
 */
export function watchCaller(
  reply: FastifyReply,
  options: { guard: Guard; actor: Actor; limits?: OpenLimits; cutsOff?: boolean },
): Caller {
  const { guard, actor, limits = STREAMS, cutsOff = false } = options;
  const giveBack = take(limits.name, [
    [`${limits.name} ${actor.id}`, limits.ofActor],
    ...('workspaceId' in actor
      ? [[`${limits.name} ${actor.workspaceId}`, limits.ofWorkspace] as [string, number]]
      : []),
  ]);
  const controller = new AbortController();
  open.add(controller);
  const { raw } = reply;
  let state: 'waiting' | 'open' | 'complete' = 'waiting';
  let isCut = false;

  let verifying: Promise<void> | null = null;
  /** Verifies the actor again. An actor that can't be verified, for any reason, loses its stream. */
  const verify = (): Promise<void> =>
    (verifying ??= guard
      .renew(actor)
      .catch((error: unknown) => controller.abort(error))
      .finally(() => {
        verifying = null;
      }));
  const timer = setInterval(() => {
    if (!guard.isFresh(actor)) void verify();
  }, CHECK_EVERY_MS);

  const forget = (): void => {
    clearInterval(timer);
    if (open.delete(controller)) giveBack();
  };
  const close = (): void => {
    forget();
    if (!controller.signal.aborted) controller.abort(ENDED);
  };
  raw.on('close', close);
  raw.on('error', close);
  const finish = (): void => {
    forget();
    if (state === 'waiting') return;
    if (isCut || (cutsOff && state === 'open')) {
      raw.destroy();
      return;
    }
    raw.end();
    // A slow reader gets all of it, as of any answer (platform/http/unread.ts).
    if (state === 'complete') return;
    const drain = setTimeout(() => raw.destroy(), DRAIN_MS);
    drain.unref();
    raw.once('close', () => clearTimeout(drain));
  };
  controller.signal.addEventListener('abort', finish, { once: true });
  // A caller who left during the preparation has already closed the connection, and `close` runs once.
  if (raw.closed || raw.destroyed) close();

  const drained = async (): Promise<boolean> => {
    await once(raw, 'drain', { signal: controller.signal }).catch((error: unknown) => {
      if (!controller.signal.aborted) throw error;
    });
    return !controller.signal.aborted;
  };
  const send = (chunk: string | Uint8Array): boolean | Promise<boolean> => {
    if (controller.signal.aborted || raw.destroyed) return false;
    return raw.write(chunk) ? !controller.signal.aborted : drained();
  };

  const answer: OpenAnswer = {
    signal: controller.signal,
    write(chunk) {
      // Checked before the timer, because a process that was frozen resumes in the middle of a write.
      return guard.isFresh(actor) ? send(chunk) : verify().then(() => send(chunk));
    },
    end() {
      if (state === 'open') state = 'complete';
      controller.abort(ENDED);
    },
    cut() {
      isCut = true;
      controller.abort(ENDED);
    },
  };

  return {
    signal: controller.signal,
    open(status, headers) {
      if (state !== 'waiting') throw new Error('the answer is open already');
      state = 'open';
      reply.hijack();
      raw.writeHead(status, {
        ...(reply.getHeaders() as Record<string, string>),
        'cache-control': 'no-store',
        // Tells nginx and compatible proxies to pass on each chunk as it arrives.
        'x-accel-buffering': 'no',
        ...headers,
      });
      if (headers['content-length'] === undefined) raw.flushHeaders();
      if (controller.signal.aborted) finish();
      return answer;
    },
    release() {
      if (state === 'open') return answer.cut();
      forget();
      if (state !== 'waiting') return;
      raw.off('close', close).off('error', close);
      // The caller has already left.
      if (raw.closed || raw.destroyed) reply.hijack();
    },
  };
}

/** @throws Problem rate_limited, before anything is sent, when too many are open. */
export function openAnswer(
  reply: FastifyReply,
  options: { guard: Guard; actor: Actor; status?: number; headers: Record<string, string> },
): OpenAnswer {
  const { status = 200, headers, ...watched } = options;
  return watchCaller(reply, watched).open(status, headers);
}
