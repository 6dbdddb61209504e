/** What faults do that are asked for by an address: before what was asked is done, and after. */
import { setTimeout as delay } from 'node:timers/promises';
import { DriverError } from '../contract/driver-error.ts';
import { deleteSession } from './sandbox-account.system-store.ts';
import { type Fault, HELD_MS, SLOW_MS } from './sandbox-faults.ts';
import { tellSelf } from './sandbox-inbox.system-store.ts';
import { holdMessage } from './sandbox-sent.system-store.ts';
import { orGivenUp, type Session } from './sandbox-session.ts';
import { writeSignals } from './sandbox-signal.ts';
import { currentMs } from '../../platform/time/clock.ts';

/**
 * `busy@` and `limit@` refuse for a time that begins with the first try.
 * @param clientId of what is refused
 */
export async function refuseForNow(session: Session, clientId: string, fault: Fault): Promise<void> {
  const ms = HELD_MS[fault];
  if (ms === undefined) return;
  const { db, post } = session.server;
  const left = await holdMessage(db, { ...session.teller, clientId }, ms);
  if (left === 0) return;
  if (fault === 'busy')
    throw new DriverError('busy', 'try_again', 'The sandbox is asked to refuse this for now.', {
      retryAfterMs: left,
    });
  const until = new Date(currentMs() + left);
  await tellSelf(db, session.teller, left, writeSignals([{ kind: 'limit', restriction: null }]));
  post.wake();
  throw new DriverError('restricted', 'rate_limited', 'The sandbox is asked to limit the account.', {
    until,
  });
}

/**
 * What happens after it was done.
 * @param isNew false where it had been done before: then it is acknowledged like anything else
 */
export async function misbehave(
  session: Session,
  fault: Fault,
  isNew: boolean,
  signal: AbortSignal,
): Promise<void> {
  if (fault === 'never') await orGivenUp(new Promise<never>(() => undefined), signal);
  if (!isNew) return;
  const unknown = new DriverError(
    'unknown',
    'no_acknowledgement',
    'The sandbox is asked not to say what became of it.',
  );
  if (fault === 'slow')
    await orGivenUp(
      delay(SLOW_MS, undefined, { signal }).catch(() => undefined),
      signal,
    );
  if (fault === 'deaf') session.isDeaf = true;
  if (fault === 'unknown') throw unknown;
  if (fault === 'drop') {
    session.end(
      new DriverError('lost', 'connection_dropped', 'The sandbox is asked to drop the connection.'),
    );
    throw unknown;
  }
  if (fault === 'logout') {
    await deleteSession(session.server.db, session.teller);
    session.end(new DriverError('refused', 'logged_out', 'The sandbox is asked to log the account out.'));
    throw unknown;
  }
}
