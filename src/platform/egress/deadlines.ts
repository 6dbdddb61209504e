/**
 * Deadlines of many requests on one timer, which costs less than a timer each. A deadline expires within a tick (25 ms)
 * after its time, never before.
 */
export interface Expiring {
  expire(): void;
}

export interface Deadlines {
  /** Expires `what` in `ms`, unless the returned function is called before. */
  set(what: Expiring, ms: number): () => void;
  /** How many are waiting. */
  readonly size: number;
}

const TICK_MS = 25;

export function createDeadlines(): Deadlines {
  const slots = new Map<number, Set<Expiring>>();
  let timer: NodeJS.Timeout | null = null;
  let reached = 0;

  const tick = (): void => {
    const now = Math.floor(performance.now() / TICK_MS);
    for (; reached <= now; reached += 1) {
      const due = slots.get(reached);
      slots.delete(reached);
      for (const what of due ?? []) what.expire();
    }
    if (slots.size > 0 || !timer) return;
    clearInterval(timer);
    timer = null;
  };

  return {
    set(what, ms) {
      const slot = Math.ceil((performance.now() + ms) / TICK_MS);
      let waiting = slots.get(slot);
      if (!waiting) slots.set(slot, (waiting = new Set()));
      waiting.add(what);
      if (!timer) {
        reached = Math.floor(performance.now() / TICK_MS);
        timer = setInterval(tick, TICK_MS);
        timer.unref();
      }
      return () => void waiting.delete(what);
    },
    get size() {
      return [...slots.values()].reduce((sum, { size }) => sum + size, 0);
    },
  };
}
