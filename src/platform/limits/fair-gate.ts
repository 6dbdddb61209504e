/**
 * Limits concurrency within this process, and shares it: who waits, waits in a fair queue (fair-queue.ts), so that
 * nobody's load keeps others from being served. A slot that is free is given to whoever comes, and nobody waits while
 * one is free. Where nobody shares the gate, its paths are empty, and it is first come, first served.
 */
import { createFairQueue } from './fair-queue.ts';

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

export interface FairGateOptions {
  /** Maximum concurrent tasks. */
  capacity: number;
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

/** Creates a gate that holds nothing about keys of which none waits. */
export function createFairGate({
  capacity,
  maxWaiting = Infinity,
  maxWaitingPerPath,
  refuse = () => new Error('too many wait'),
}: FairGateOptions): FairGate {
  let free = capacity;
  const queue = createFairQueue<Waiter>({
    max: maxWaiting,
    maxPerPath: maxWaitingPerPath,
    onDropped: (waiter) => waiter.fail(refuse()),
  });

  const wait = (path: readonly string[], signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const onAbort = (): void => {
        queue.remove(entry);
        reject(signal!.reason as Error);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      const entry = queue.add(path, {
        start() {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
        fail(error) {
          signal?.removeEventListener('abort', onAbort);
          reject(error);
        },
      });
    });

  return async function run(path, work, signal) {
    signal?.throwIfAborted();
    if (free > 0) free--;
    else await wait(path, signal);
    try {
      return await work();
    } finally {
      const next = queue.take();
      if (next) next.start();
      else free++;
    }
  };
}
