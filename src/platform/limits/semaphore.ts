/**
 * Limits concurrency within this process, first come, first served. Where strangers or tenants share the slots, use
 * fair-gate.ts.
 */

/** Creates a semaphore: up to `max` tasks run concurrently, the others wait in order. */
export function createSemaphore(max: number) {
  let free = max;
  const waiting: (() => void)[] = [];
  return async function run<T>(work: () => Promise<T>): Promise<T> {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}
