/** Few things at once, in memory of this process. */

/**
 * Lets `most` pieces of work run at once, others in their order after them.
 * @param refuse called where `mostWaiting` wait already: to throw
 */
export function createSemaphore(most: number, mostWaiting = Infinity, refuse: () => void = () => {}) {
  let free = most;
  const waiting: (() => void)[] = [];
  return async function run<T>(work: () => Promise<T>): Promise<T> {
    if (free > 0) free--;
    else {
      if (waiting.length >= mostWaiting) refuse();
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
