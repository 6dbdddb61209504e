/**
 * Keeps the PostgreSQL server running until it is told to stop.
 *
 *   state     | event                    | next
 *   ----------+--------------------------+-------------------------------------------------------------
 *   serving   | the server ends          | down: its backends are waited for, the end is logged
 *   serving   | stop()                   | stopped, after a fast shutdown
 *   down      | the pause is over        | serving, or (it did not start) down again with a longer pause
 *   down      | stop()                   | stopped, at once or after the start under way
 *
 * It never gives up: a full disk that is cleared later needs nobody to restart Fairlead. Meanwhile connections fail,
 * which the pool and /readyz tell.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../logging/log.ts';
import { EmbeddedDatabaseError } from './errors.ts';
import type { Postmaster } from './postmaster.ts';

/** Pauses before a restart (ms): nearly none after a run that lasted, then doubled up to the longest. */
export const PAUSES = { first: 20, longest: 10_000, lasting: 30_000 };

export interface Supervisor {
  /** Ends the server and its supervision; resolves when no process is left. Can be called again. */
  stop(): Promise<void>;
}

/**
 * @param postmaster the running server.
 * @param start starts another one.
 */
export function supervise(
  postmaster: Postmaster,
  start: (signal: AbortSignal) => Promise<Postmaster>,
  log: Pick<Log, 'info' | 'warn' | 'error'>,
): Supervisor {
  const stopping = new AbortController();
  const stopped = (): boolean => stopping.signal.aborted;

  const restart = async (
    dead: Postmaster,
    after: number,
  ): Promise<{ server: Postmaster | null; pause: number }> => {
    for (let pause = after; ; pause = Math.min(pause * 2, PAUSES.longest)) {
      await delay(pause, undefined, { signal: stopping.signal }).catch(() => {});
      if (stopped()) {
        await dead.gone();
        return { server: null, pause };
      }
      try {
        await dead.gone();
        return { server: await start(stopping.signal), pause };
      } catch (error) {
        const reason = error instanceof EmbeddedDatabaseError ? error.message : String(error);
        if (!stopped())
          log.error({ pause }, `embedded database: could not be started again, retrying. ${reason}`);
      }
    }
  };

  const run = async (): Promise<void> => {
    let server: Postmaster | null = postmaster;
    let pause = PAUSES.first;
    while (server !== null) {
      const began = performance.now();
      const asked = new Promise<null>((resolve) => {
        if (stopped()) resolve(null);
        stopping.signal.addEventListener('abort', () => resolve(null), { once: true });
      });
      const how = await Promise.race([server.exited, asked]);
      if (stopped() || how === null) return server.stop();
      log.error({ how, lines: server.lines.slice(-5) }, 'embedded database: ended unexpectedly, restarting');
      if (performance.now() - began > PAUSES.lasting) pause = PAUSES.first;
      ({ server, pause } = await restart(server, pause));
      if (server) log.info({ pid: server.pid }, 'embedded database: running again');
      pause = Math.min(pause * 2, PAUSES.longest);
    }
  };

  const over = run();
  // Until stop() is called nobody waits for it; a fault then must not be unheard.
  over.catch((error: unknown) => log.error({ err: error }, 'embedded database: no longer supervised'));
  return {
    stop() {
      stopping.abort();
      return over;
    },
  };
}
