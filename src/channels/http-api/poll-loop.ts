/**
 * Polls a channel one request at a time, for as long as the connection lasts. Each result is handled before the next
 * request, so a request that confirms earlier results (an update offset) is sent only after they are stored.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Backoff, backoff } from '../../platform/time/retry.ts';
import { DriverError } from '../contract/driver-error.ts';

export interface PollOptions<T> {
  /** Waits for news. `busy` is retried, other errors end the loop. @throws DriverError */
  fetch(signal: AbortSignal): Promise<T>;
  /** Any error ends the loop. Never called after `stop`. */
  handle(result: T, signal: AbortSignal): Promise<void>;
  /** Called once if the loop ends before `stop`. */
  onEnd(reason: unknown): void;
  retry?: Backoff;
  /** Consecutive failures of `fetch` after which the loop ends with the last of them. */
  maxFailures?: number;
}

export interface PollLoop {
  /** Consecutive failures of `fetch`. */
  readonly failures: number;
  /** When `fetch` last succeeded, by `performance.now()`; null before the first time. */
  readonly succeededAt: number | null;
  /** Aborts the current request and resolves when nothing runs any more. */
  stop(): Promise<void>;
}

const RETRY: Backoff = { firstMs: 500, maxMs: 2_000, jitter: 0.5 };
const MAX_FAILURES = 3;

const isBusy = (error: unknown): error is DriverError =>
  error instanceof DriverError && error.kind === 'busy';

export function startPollLoop<T>({
  fetch,
  handle,
  onEnd,
  retry = RETRY,
  maxFailures = MAX_FAILURES,
}: PollOptions<T>): PollLoop {
  const stopping = new AbortController();
  const { signal } = stopping;
  let failures = 0;
  let succeededAt: number | null = null;

  /** @returns undefined if `fetch` is to be retried */
  const fetchOnce = async (): Promise<{ result: T } | undefined> => {
    try {
      const result = await fetch(signal);
      failures = 0;
      succeededAt = performance.now();
      return { result };
    } catch (error) {
      failures += 1;
      if (signal.aborted || !isBusy(error) || failures >= maxFailures) throw error;
      const delay = Math.max(backoff(failures, retry), error.retryAfterMs ?? 0);
      await sleep(delay, undefined, { signal });
      return undefined;
    }
  };

  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      const fetched = await fetchOnce();
      if (fetched && !signal.aborted) await handle(fetched.result, signal);
    }
  };

  // Not before the caller has the loop.
  const running = Promise.resolve()
    .then(run)
    .catch((error: unknown) => {
      if (!signal.aborted) onEnd(error);
    });

  return {
    get failures() {
      return failures;
    },
    get succeededAt() {
      return succeededAt;
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
