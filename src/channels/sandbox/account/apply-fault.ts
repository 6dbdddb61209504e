/** Applies the faults that an address requests, before and after the operation itself. */
import { setTimeout as delay } from 'node:timers/promises';
import { DriverError } from '../../contract/driver-error.ts';
import { deleteSession } from './sandbox-account.system-store.ts';
import { type Fault, HELD_MS, SLOW_MS } from './sandbox-faults.ts';
import { notifySelf } from './sandbox-inbox.system-store.ts';
import { refuseUntil } from './sandbox-sent.system-store.ts';
import { orAborted, type Session } from './sandbox-session.ts';
import { writeSignals } from './sandbox-signal.ts';
import { currentMs } from '../../../platform/time/clock.ts';

/**
 * Rejects temporarily for `busy@` and `limit@`; the period starts with the first attempt.
 * @param clientId identifies the rejected operation
 */
export async function rejectTemporarily(session: Session, clientId: string, fault: Fault): Promise<void> {
  const ms = HELD_MS[fault];
  if (ms === undefined) return;
  const { db, inbox } = session.server;
  const left = await refuseUntil(db, { ...session.sender, clientId }, ms);
  if (left === 0) return;
  if (fault === 'busy')
    throw new DriverError('busy', 'try_again', 'Rejected temporarily, as the address requests.', {
      retryAfterMs: left,
    });
  const until = new Date(currentMs() + left);
  await notifySelf(db, session.sender, left, writeSignals([{ kind: 'limit', restriction: null }]));
  inbox.wake();
  throw new DriverError(
    'restricted',
    'rate_limited',
    'The account is rate limited, as the address requests.',
    {
      until,
    },
  );
}

/**
 * Applies the fault after the operation.
 * @param isNew false if the operation had been done before; it is acknowledged normally then
 */
export async function applyFault(
  session: Session,
  fault: Fault,
  isNew: boolean,
  signal: AbortSignal,
): Promise<void> {
  if (fault === 'never') await orAborted(new Promise<never>(() => undefined), signal);
  if (!isNew) return;
  const unknown = new DriverError(
    'unknown',
    'no_acknowledgement',
    'Not acknowledged, as the address requests.',
  );
  if (fault === 'slow')
    await orAborted(
      delay(SLOW_MS, undefined, { signal }).catch(() => undefined),
      signal,
    );
  if (fault === 'deaf') session.isDeaf = true;
  if (fault === 'unknown') throw unknown;
  if (fault === 'drop') {
    session.end(
      new DriverError('lost', 'connection_dropped', 'The connection was dropped, as the address requests.'),
    );
    throw unknown;
  }
  if (fault === 'logout') {
    await deleteSession(session.server.db, session.sender);
    session.end(
      new DriverError('refused', 'logged_out', 'The account was logged out, as the address requests.'),
    );
    throw unknown;
  }
}
