/** Closing a connection, whatever state it is in: what is being sent may end, its session is ended where it is to be. */
import type { Connection } from '../channels/driver.ts';
import type { Times } from './times.ts';
import { aborted, within } from './within.ts';

/**
 * Takes a bounded time, whatever the driver does. Never rejects.
 * @param connection null where it was never open
 * @param deps.detach resolves once nothing is being sent
 * @param deps.controller of the holding. Where it has aborted nothing more may be sent, and nothing is waited for.
 */
export async function closeConnection(
  connection: Connection | null,
  deps: {
    detach: () => Promise<void>;
    logsOut: boolean;
    controller: AbortController;
    times: Times;
    warn: (error: unknown, message: string) => void;
  },
): Promise<void> {
  const { detach, logsOut, controller, times, warn } = deps;
  const { signal } = controller;
  const whatever = (message: string) => (error: unknown) => warn(error, message);
  const detached = detach().catch(whatever('what was being sent could not be settled'));
  if (!signal.aborted) await within(Promise.race([detached, aborted(signal)]), times.drainMs);
  if (connection?.logout && logsOut && !signal.aborted)
    await within(connection.logout(AbortSignal.timeout(times.logoutMs)), times.logoutMs).catch(
      whatever('the session at the channel was not ended'),
    );
  controller.abort();
  if (connection)
    await within(
      connection.close().catch(whatever('a connection could not be closed in order')),
      times.closeMs,
    );
  await within(detached, times.closeMs);
}
