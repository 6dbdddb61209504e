/**
 * Stops gracefully on the first SIGTERM or SIGINT; a later signal ends the process immediately. Ctrl-C under npm
 * arrives twice, from the terminal and from npm, so a signal that follows within a moment counts as the same.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';

const DRAIN_MS = 10_000;
const SAME_SIGNAL_MS = 500;

export interface Stop {
  /** Completes running requests; cut off after 10 s. */
  drain(): Promise<void>;
  /** Ends resources that requests needed, such as the database. Has no time limit. */
  end?(): Promise<void>;
}

/** @param drainMs for tests. @returns the status to exit with */
export async function stopInOrder(
  log: Pick<FastifyBaseLogger, 'error'>,
  { drain, end }: Stop,
  drainMs = DRAIN_MS,
): Promise<number> {
  const failed = (err: unknown): number => {
    log.error({ err }, 'the stop failed');
    return 1;
  };
  const drained = async (): Promise<void> => drain();
  const drainedAs = await Promise.race([
    drained().then(() => 0, failed),
    delay(drainMs, null, { ref: false }),
  ]);
  if (drainedAs === null) log.error('shutdown: not drained within 10 s, exiting');
  const endedAs = await end?.().then(() => 0, failed);
  return drainedAs === 0 && !endedAs ? 0 : 1;
}

export function stopOnSignals(log: FastifyBaseLogger, stop: Stop): void {
  let stoppingSince: number | null = null;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (stoppingSince !== null) {
      if (performance.now() - stoppingSince > SAME_SIGNAL_MS) process.exit(1);
      return;
    }
    stoppingSince = performance.now();
    log.info({ signal }, 'stopping');
    void stopInOrder(log, stop).then((status) => process.exit(status));
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}
