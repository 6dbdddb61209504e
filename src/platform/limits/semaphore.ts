/** Few things at once, in memory of this process. */

/**
 * Lets `most` pieces of work run at once, others in their order after them.
 * @param refuse called where `mostWaiting` wait already: to throw
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
