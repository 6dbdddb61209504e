/**
 * Limits concurrency within this process, and shares it: persons hold slots by the rule of fair-slots.ts, which keeps a
 * reserve for those that hold none, and who waits takes turns (fair-queue.ts). So nobody's load keeps others from being
 * served. Where nobody shares the gate, its paths are empty, and it is first come, first served.
 */
import { createFairQueue } from './fair-queue.ts';
import { createFairSlots, type FairSlotsOptions } from './fair-slots.ts';
import { keepSpan } from '../tracing/tracing.ts';

/**
 * Runs `work` once it has a slot.
 * @param path whose turn it is, from the widest key to the narrowest; no path may be the beginning of another one
 * @param signal ends the wait; `work` that has begun must heed it itself
 * @throws what `refuse` creates, if the room is full and this is the newest waiter of the key with the most; the reason
 * of `signal`; whatever `work` throws
 */
export type FairGate = <T>(
  path: readonly string[],
  work: () => Promise<T>,
  signal?: AbortSignal,
) => Promise<T>;

export interface FairGateOptions extends FairSlotsOptions {
  /** The key in the path that stands for the person. Default: 0, the widest. */
  personAt?: number;
  /** How many may wait in all, however many keys they have. Default: no limit. */
  maxWaiting?: number;
  /** How many may wait under one path. Default: as many as in all. */
  maxWaitingPerPath?: number;
  /** Creates the error of those who are refused; required with a limit. */
  refuse?: () => Error;
}

interface Waiter {
  start(): void;
  fail(error: Error): void;
}

/** Creates a gate that holds nothing about keys of which none waits or runs. */
export function createFairGate({
  personAt = 0,
  maxWaiting = Infinity,
  maxWaitingPerPath,
  refuse = () => new Error('too many wait'),
  ...options
}: FairGateOptions): FairGate {
  const slots = createFairSlots(options);
  const queue = createFairQueue<Waiter>({
    max: maxWaiting,
    maxPerPath: maxWaitingPerPath,
    onDropped: (waiter) => waiter.fail(refuse()),
  });
  let timer: NodeJS.Timeout | undefined;

  const mayStart = (path: readonly string[]): boolean => {
    const person = path[personAt];
    return person === undefined ? slots.free() > 0 : slots.may(person);
  };

  /** Gives free slots to those that wait and may have them. */
  const dispatch = (): void => {
    while (queue.size && slots.free() > 0) {
      const next = queue.take((key, depth) => depth === personAt && !slots.may(key));
      if (!next) break;
      next.start();
    }
    plan();
  };
  /** Work that moves away from its slot frees it for those that wait. */
  const plan = (): void => {
    clearTimeout(timer);
    const ms = queue.size ? slots.untilSlow() : null;
    if (ms !== null) timer = setTimeout(dispatch, ms).unref();
  };

  return function run<T>(path: readonly string[], work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    // A turn may come in the context of another's work.
    const own = keepSpan(work);
    return new Promise<T>((resolve, reject) => {
      signal?.throwIfAborted();
      const start = (): void => {
        signal?.removeEventListener('abort', onAbort);
        const slot = slots.take(path[personAt] ?? '');
        const end = (): void => {
          slot.release();
          dispatch();
        };
        // Work begins before its promise is looked at, so that what it throws then is a rejection as well.
        const result = (async () => own())();
        result.finally(end).then(resolve, reject);
      };
      const onAbort = (): void => {
        queue.remove(entry);
        reject(signal!.reason as Error);
      };
      if (mayStart(path)) return start();
      signal?.addEventListener('abort', onAbort, { once: true });
      const entry = queue.add(path, {
        start,
        fail(error) {
          signal?.removeEventListener('abort', onAbort);
          reject(error);
        },
      });
      plan();
    });
  };
}
