/** Opens one connection by its driver. */
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';
import type { Connection } from '../../../channels/contract/connection.ts';
import type { Driver } from '../../../channels/contract/driver.ts';
import type { Json } from '../../../channels/contract/json.ts';
import { settleWithin } from '../../../platform/time/timeout.ts';
import { openCredentials } from '../instances/instance-secrets.ts';
import type { ClaimedInstance } from './connection.system-store.ts';
import type { createContext } from './driver-context.ts';
import { unreadable } from './errors.ts';
import type { SessionEnd } from './session-end.ts';
import type { Times } from './times.ts';

export interface OpeningDeps {
  driver: Driver;
  instance: ClaimedInstance;
  secrets: SecretBox;
  context: Pick<ReturnType<typeof createContext>, 'of'>;
  ending: SessionEnd;
  times: Pick<Times, 'closeMs'>;
  warn: (error: unknown, message: string) => void;
}

/**
 * Waits for the driver until the session ends, and a bounded time after that.
 * @returns null if the session ended first. What opens too late is closed. @throws what the driver threw
 */
export async function openConnection(deps: OpeningDeps): Promise<Connection | null> {
  const { driver, instance, secrets, context, ending, times, warn } = deps;
  let credentials: Json;
  try {
    credentials = openCredentials(secrets, instance);
  } catch (error) {
    throw unreadable(error);
  }
  const opening = driver.open(context.of(credentials, ending.controller.signal));
  // The driver may still open the connection after it was told to stop.
  const settled = opening.then(
    (made) => ({ made }),
    (error: unknown) => ({ error }),
  );
  const first =
    (await Promise.race([settled, ending.ended.then(() => null)])) ??
    (await settleWithin(settled, times.closeMs));
  if (!first)
    settled
      .then((late) => ('made' in late ? late.made.close() : undefined))
      .catch((error: unknown) => warn(error, 'a connection that opened too late could not be closed'));
  else if ('made' in first) return first.made;
  else if (!ending.reason) throw first.error;
  return null;
}
