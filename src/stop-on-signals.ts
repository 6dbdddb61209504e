/**
 * A graceful stop on SIGTERM and SIGINT: once, within 10 s; a later signal ends the process at once. Ctrl-C under npm
 * comes twice, from the terminal and from npm, so one that follows at once is the same.
 */
import type { FastifyBaseLogger } from 'fastify';

const DRAIN_MS = 10_000;
const SAME_SIGNAL_MS = 500;

export function stopOnSignals(log: FastifyBaseLogger, stop: () => Promise<void>): void {
  let stoppingSince: number | null = null;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (stoppingSince !== null) {
      if (performance.now() - stoppingSince > SAME_SIGNAL_MS) process.exit(1);
      return;
    }
    stoppingSince = performance.now();
    log.info({ signal }, 'stopping');
    const late = setTimeout(() => {
      log.error('not drained within 10 s; ending now');
      process.exit(1);
    }, DRAIN_MS);
    late.unref();
    stop().then(
      () => process.exit(0),
      (err: unknown) => {
        log.error({ err }, 'the stop failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}
