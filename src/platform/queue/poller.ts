/**
 * Polls a table that any number of processes work on.
 *
 * A poller runs one cycle at a time. Wake-ups (a commit in this process, a notification from another one) start a
 * cycle within milliseconds; otherwise it polls every 20 ms while there is work, and less and less often, down to every
 * 250 ms, while there is none. No work depends on a wake-up. A failed cycle is retried indefinitely with exponential
 * backoff; the first failure and every thirtieth are reported.
 */
import { backoff } from '../time/retry.ts';
import { withSpan } from '../tracing/tracing.ts';

const BUSY_MS = 20;
const IDLE_MS = 250;
const BACKOFF = { firstMs: 40, maxMs: 2_000 };
const REPORT_EVERY = 30;

/** `more`: the next cycle should follow immediately. */
export type CycleOutcome = 'idle' | 'busy' | 'more';

export interface Poller {
  start(): void;
  /** Starts a cycle soon. */
  wake(): void;
  /** Recovers before the next cycle, as after a failed one. */
  requestRecovery(): void;
  /** Resolves after the running cycle has ended. */
  stop(): Promise<void>;
}

export interface PollerOptions {
  cycle: () => Promise<CycleOutcome>;
  /**
   * Runs before the cycle that follows a failed one. A transaction whose commit got no response may have claimed rows
   * that nobody executes.
   */
  recover?: () => Promise<void>;
  /** Wake-ups within this time share a cycle. */
  gatherMs: number;
  onError: (error: unknown, failures: number) => void;
}

export function createPoller({ cycle, recover, gatherMs, onError }: PollerOptions): Poller {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;
  let started = false;
  let woken = false;
  let needsRecovery = false;
  let delay = BUSY_MS;
  let failures = 0;
  let lastRun = Number.NEGATIVE_INFINITY;

  const run = async (): Promise<void> => {
    woken = false;
    lastRun = performance.now();
    try {
      if (needsRecovery && recover) {
        // A request during the recovery triggers another one.
        needsRecovery = false;
        await recover();
      }
      const outcome = await cycle();
      failures = 0;
      delay = outcome === 'idle' ? Math.min(delay * 2, IDLE_MS) : BUSY_MS;
      if (outcome === 'more') woken = true;
    } catch (error) {
      needsRecovery = true;
      delay = backoff(++failures, BACKOFF);
      woken = false;
      if (failures === 1 || failures % REPORT_EVERY === 0) onError(error, failures);
    }
  };

  const untilGathered = (): number => gatherMs - (performance.now() - lastRun);
  const next = (): void => {
    running = null;
    if (started) schedule(woken && failures === 0 ? untilGathered() : delay);
  };
  const schedule = (ms: number): void => {
    clearTimeout(timer);
    // Whoever woke it is not the cause of what a cycle finds.
    timer = setTimeout(() => (running = withSpan(null, run).finally(next)), Math.max(0, ms));
  };

  return {
    start() {
      if (started) return;
      started = true;
      schedule(0);
    },
    wake() {
      if (woken || !started) return;
      woken = true;
      if (running === null && failures === 0) schedule(untilGathered());
    },
    requestRecovery() {
      needsRecovery = true;
    },
    async stop() {
      started = false;
      clearTimeout(timer);
      await running;
    },
  };
}
