/**
 * Detects a connection that is up but receives nothing: about every 30 s it must prove within 10 s that it receives.
 */
import { type Connection } from '../../../channels/contract/connection.ts';
import { DriverError } from '../../../channels/contract/driver-error.ts';
import { deaf } from './errors.ts';
import type { Times } from './times.ts';

export function createProbe(deps: { times: Times; signal: AbortSignal; fail: (error: unknown) => void }) {
  const { times, signal, fail } = deps;
  let nextAt = Number.POSITIVE_INFINITY;
  let running: { until: number; controller: AbortController } | null = null;

  const later = (): void => {
    nextAt = performance.now() + times.probeEveryMs * (0.5 + Math.random() / 2);
  };

  const probe = async (connection: Connection, controller: AbortController): Promise<void> => {
    const giveUp = (): void => controller.abort();
    signal.addEventListener('abort', giveUp);
    try {
      await connection.probe(controller.signal);
    } catch (error) {
      const isClear = error instanceof DriverError && error.kind !== 'unknown' && error.kind !== 'busy';
      if (!signal.aborted && !controller.signal.aborted) fail(isClear ? error : deaf(error));
    }
    signal.removeEventListener('abort', giveUp);
    running = null;
    later();
  };

  return {
    start: later,
    /** @param now time of the monotonic clock */
    tick(now: number, connection: Connection): void {
      if (running) {
        if (now < running.until) return;
        fail(deaf(undefined));
        running.controller.abort();
      } else if (now >= nextAt) {
        running = { until: now + times.probeMs, controller: new AbortController() };
        void probe(connection, running.controller);
      }
    },
  };
}
