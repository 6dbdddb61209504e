/** Closes a connection in any state: running sends may finish, and its session is ended if requested. */
import type { Connection } from '../../../channels/contract/connection.ts';
import type { Times } from './times.ts';
import { settleWithin } from '../../../platform/time/timeout.ts';
import { aborted } from './aborted.ts';

/**
 * Closes a connection within a bounded time, whatever the driver does. Never rejects.
 * @returns whether the session at the channel has ended, if that was requested
 * @param connection null if it was never open
 * @param deps.detach resolves once nothing is being sent
 * @param deps.controller aborts the holding. If it has aborted, nothing more may be sent, and nothing is waited for.
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
): Promise<boolean> {
  const { detach, logsOut, controller, times, warn } = deps;
  const { signal } = controller;
  const whatever = (message: string) => (error: unknown) => warn(error, message);
  const detached = detach().catch(whatever('what was being sent could not be settled'));
  if (!signal.aborted) await settleWithin(Promise.race([detached, aborted(signal)]), times.drainMs);
  let loggedOut = false;
  if (connection && logsOut && !signal.aborted)
    loggedOut = await endSession(connection, times).catch((error: unknown) => {
      warn(error, 'the session at the channel was not ended');
      return false;
    });
  controller.abort();
  if (connection)
    await settleWithin(
      connection.close().catch(whatever('a connection could not be closed in order')),
      times.closeMs,
    );
  await settleWithin(detached, times.closeMs);
  return loggedOut;
}

/** @returns whether the channel ended the session in time; true if it has no sessions. @throws the channel's error */
export async function endSession(connection: Connection, times: Times): Promise<boolean> {
  if (!connection.logout) return true;
  const ended = connection.logout(AbortSignal.timeout(times.logoutMs)).then(() => true);
  return (await settleWithin(ended, times.logoutMs)) ?? false;
}
