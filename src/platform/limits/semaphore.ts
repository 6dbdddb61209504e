/** Limits concurrency within this process. */

/**
 * Creates a semaphore: up to `max` tasks run concurrently, the others wait in order.
 * @param refuse called when `maxWaiting` tasks are waiting; throws
 */
export function createSemaphore(max: number, maxWaiting = Infinity, refuse: () => void = () => {}) {
  let free = max;
  const waiting: (() => void)[] = [];
  return async function run<T>(work: () => Promise<T>): Promise<T> {
    if (free > 0) free--;
    else {
      if (waiting.length >= maxWaiting) refuse();
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}
