/** Limits concurrent calls to each provider, in this process. */
import { Problem } from '../../../platform/http/problem.ts';
import { UpstreamError } from '../contract/upstream.ts';

interface Slots {
  used: number;
  /** In order of arrival. Each gets the next free slot. */
  waiting: Set<() => void>;
}

export interface Concurrency {
  /**
   * Takes one of the slots of a provider; waits at most `timeoutMs` for one.
   * @returns a function that gives it back
   * @throws Problem rate_limited if none becomes free in time; UpstreamError if `signal` aborts
   */
  enter(id: string, max: number | null, timeoutMs: number, signal: AbortSignal): Promise<() => void>;
}

const RETRY_AFTER_SECONDS = '1';

export function createConcurrency(): Concurrency {
  const providers = new Map<string, Slots>();

  const leave = (id: string, slots: Slots): void => {
    slots.used -= 1;
    const [next] = slots.waiting;
    if (next) {
      slots.waiting.delete(next);
      next();
    } else if (slots.used === 0) providers.delete(id);
  };

  const wait = (slots: Slots, timeoutMs: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const stopWaiting = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        slots.waiting.delete(enter);
      };
      const enter = (): void => {
        stopWaiting();
        slots.used += 1;
        resolve();
      };
      const onAbort = (): void => {
        stopWaiting();
        reject(new UpstreamError('aborted', 'The call was aborted.'));
      };
      const onTimeout = (): void => {
        stopWaiting();
        const detail = `The model provider has as many concurrent calls as it allows, and none ended within ${timeoutMs / 1000} s.`;
        reject(new Problem('rate_limited', detail, { headers: { 'retry-after': RETRY_AFTER_SECONDS } }));
      };
      const timer = setTimeout(onTimeout, timeoutMs);
      signal.addEventListener('abort', onAbort, { once: true });
      slots.waiting.add(enter);
    });

  return {
    async enter(id, max, timeoutMs, signal) {
      if (signal.aborted) throw new UpstreamError('aborted', 'The call was aborted.');
      if (max === null) return () => {};
      const slots = providers.get(id) ?? { used: 0, waiting: new Set() };
      providers.set(id, slots);
      if (slots.used < max && slots.waiting.size === 0) slots.used += 1;
      else await wait(slots, timeoutMs, signal);
      let hasLeft = false;
      return () => {
        if (!hasLeft) leave(id, slots);
        hasLeft = true;
      };
    },
  };
}
