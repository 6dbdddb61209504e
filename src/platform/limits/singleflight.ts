/**
 * Shares concurrent reads of the same key. A caller never joins a read that has already started, because its result may
 * be older than the call; all calls during a read share the one that follows.
 */

/** @param read by a name. What it gives back is shared, and changed by nobody. */
export function createSingleflight<T, A extends unknown[]>(
  read: (name: string, ...given: A) => Promise<T>,
): (name: string, ...given: A) => Promise<T> {
  const running = new Map<string, Promise<unknown>>();
  const next = new Map<string, Promise<T>>();

  const begin = (name: string, given: A): Promise<T> => {
    next.delete(name);
    const reading = read(name, ...given);
    const ended = reading
      .catch(() => undefined) // reported to the callers
      .then(() => {
        if (running.get(name) === ended) running.delete(name);
      });
    running.set(name, ended);
    return reading;
  };

  return (name, ...given) => {
    const waiting = next.get(name);
    if (waiting) return waiting;
    const before = running.get(name);
    // What was read from sockets in the same turn goes along.
    const turn = before ?? new Promise<void>((resolve) => setImmediate(resolve));
    const promise = turn.then(() => begin(name, given));
    next.set(name, promise);
    return promise;
  };
}
