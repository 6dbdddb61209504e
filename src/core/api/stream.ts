/**
 * An answer that stays open (server-sent events, model output): headers as for any answer, back-pressure, and a look
 * at the actor every 250 ms and before each chunk, so that a revoked key's stream ends within a second and nothing
 * goes into it later.
 */
import { once } from 'node:events';
import type { FastifyReply } from 'fastify';
import type { Actor } from '../auth/actor.ts';
import type { Guard } from '../auth/guard.ts';
import { Problem } from '../../platform/http/problem.ts';

const CHECK_EVERY_MS = 250;
/** How long a caller who doesn't read keeps the socket of an answer that has ended. */
const DRAIN_MS = 500;

export interface OpenAnswer {
  /** Aborts when the caller leaves, the actor loses its right, or the server stops. */
  signal: AbortSignal;
  /** Resolves once the caller has taken enough; false when the stream is over. */
  write(chunk: string | Uint8Array): Promise<boolean>;
  end(): void;
}

/** Maximum number of open responses in this process. */
const MAX_OF_ACTOR = 100;
const MAX_OF_WORKSPACE = 1_000;

const open = new Set<AbortController>();
const countOpen = new Map<string, number>();

/** Counts one for each name. @throws Problem rate_limited when one of them has as many as it may. @returns the undoing */
function take(bounds: [name: string, max: number][]): () => void {
  for (const [name, max] of bounds)
    if ((countOpen.get(name) ?? 0) >= max)
      throw new Problem('rate_limited', `There are ${max} open streams already. Close some first.`, {
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
  for (const controller of open) controller.abort();
}

/** @throws Problem rate_limited, before anything is sent, when too many are open. */
export function openAnswer(
  reply: FastifyReply,
  options: { guard: Guard; actor: Actor; status?: number; headers: Record<string, string> },
): OpenAnswer {
  const { guard, actor, status = 200, headers } = options;
  const giveBack = take([
    [actor.id, MAX_OF_ACTOR],
    ...('workspaceId' in actor ? [[actor.workspaceId, MAX_OF_WORKSPACE] as [string, number]] : []),
  ]);
  const controller = new AbortController();
  open.add(controller);
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(status, {
    ...(reply.getHeaders() as Record<string, string>),
    'cache-control': 'no-store',
    // For nginx, and those who read it too: each piece is sent on as it comes.
    'x-accel-buffering': 'no',
    ...headers,
  });
  raw.flushHeaders();

  let verifying: Promise<void> | null = null;
  /** Looks at the actor again; one that can't be verified now, whatever the reason, has no open stream. */
  const verify = (): Promise<void> =>
    (verifying ??= guard
      .renew(actor)
      .catch(() => controller.abort())
      .finally(() => {
        verifying = null;
      }));
  const timer = setInterval(() => {
    if (!guard.isFresh(actor)) void verify();
  }, CHECK_EVERY_MS);

  const close = (): void => {
    clearInterval(timer);
    if (open.delete(controller)) giveBack();
    if (!controller.signal.aborted) controller.abort();
  };
  raw.on('close', close);
  raw.on('error', close);
  const finish = (): void => {
    raw.end();
    setTimeout(() => raw.destroy(), DRAIN_MS).unref();
  };
  controller.signal.addEventListener('abort', finish, { once: true });
  // Who left while the stream was being made ready has closed already, and closes once.
  if (raw.closed || raw.destroyed) close();

  return {
    signal: controller.signal,
    async write(chunk) {
      // Before the timer does: a process that was frozen goes on in the middle of what it wrote.
      if (!guard.isFresh(actor)) await verify();
      if (controller.signal.aborted || raw.destroyed) return false;
      if (!raw.write(chunk))
        await once(raw, 'drain', { signal: controller.signal }).catch((error: unknown) => {
          if (!controller.signal.aborted) throw error;
        });
      return !controller.signal.aborted;
    },
    end: () => controller.abort(),
  };
}
