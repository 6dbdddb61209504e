/**
 * A loop that takes turns at a table that any number of processes look at.
 *
 * It is woken by hints (a commit here, a notification from elsewhere) and polls besides: every 20 ms while there is
 * work, more and more seldom down to every 250 ms while there is none. Nothing depends on a hint. A turn that fails is
 * tried again with growing waits, for ever, and told at first and at every thirtieth time.
 */
const BUSY_MS = 20;
const IDLE_MS = 250;
const MAX_BACKOFF_MS = 2_000;
const TOLD_EVERY = 30;

export interface PollLoop {
  start(): void;
  /** There may be something to do. */
  wake(): void;
  /** Resolves once the running turn is over. */
  stop(): Promise<void>;
}

export interface PollLoopOptions {
  /** @returns 'busy' where there was anything to do, 'more' where the next turn should follow at once. */
  turn: () => Promise<'idle' | 'busy' | 'more'>;
  /** Hints that come closer together than this share a turn. */
  gatherMs: number;
  onFault: (error: unknown, failures: number) => void;
}

export function createPollLoop({ turn, gatherMs, onFault }: PollLoopOptions): PollLoop {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;
  let started = false;
  let hinted = false;
  let delay = BUSY_MS;
  let failures = 0;
  let lastRun = Number.NEGATIVE_INFINITY;

  const run = async (): Promise<void> => {
    hinted = false;
    lastRun = performance.now();
    try {
      const found = await turn();
      failures = 0;
      delay = found === 'idle' ? Math.min(delay * 2, IDLE_MS) : BUSY_MS;
      if (found === 'more') hinted = true;
    } catch (error) {
      delay = Math.min(BUSY_MS * 2 ** ++failures, MAX_BACKOFF_MS);
      hinted = false;
      if (failures === 1 || failures % TOLD_EVERY === 0) onFault(error, failures);
    }
  };

  const untilGathered = (): number => gatherMs - (performance.now() - lastRun);
  const next = (): void => {
    running = null;
    if (started) schedule(hinted && failures === 0 ? untilGathered() : delay);
  };
  const schedule = (ms: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => (running = run().finally(next)), Math.max(0, ms));
  };

  return {
    start() {
      if (started) return;
      started = true;
      schedule(0);
    },
    wake() {
      if (hinted || !started) return;
      hinted = true;
      if (running === null && failures === 0) schedule(untilGathered());
    },
    async stop() {
      started = false;
      clearTimeout(timer);
      await running;
    },
  };
}
