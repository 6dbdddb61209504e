/**
 * Pairing, like an app on a phone: shows a QR code or a code to type, and a new one when it expires. Pairing completes
 * automatically after `settings.pairing_seconds`.
 */
import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../platform/db/database.ts';
import { type DriverContext, type PairingStep } from '../contract/driver.ts';
import { DriverError } from '../contract/driver-error.ts';
import { hasSession, saveSession } from './account/sandbox-account.system-store.ts';
import { readCredentials, type Settings } from './account/sandbox-settings.ts';
import { currentMs } from '../../platform/time/clock.ts';

/** Validity of a QR code and of a code to type. */
const QR_MS = 20_000;
const CODE_MS = 60_000;
const CODE_CHARACTERS = 'BCDFGHJKLMNPQRSTVWXZ23456789';

const codeToType = (): string => {
  const part = (): string =>
    Array.from({ length: 4 }, () => CODE_CHARACTERS[randomInt(CODE_CHARACTERS.length)]).join('');
  return `${part()}-${part()}`;
};

function newStep(kind: 'qr' | 'code'): PairingStep {
  const expiresAt = new Date(currentMs() + (kind === 'qr' ? QR_MS : CODE_MS));
  const data = kind === 'qr' ? `fairlead-sandbox:${randomBytes(16).toString('base64url')}` : codeToType();
  return { kind, data, expiresAt };
}

/** Waits. @throws DriverError lost if the signal aborts */
async function wait(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch((error: unknown) => {
    if (signal.aborted) throw new DriverError('lost', 'aborted', 'Connecting was canceled.');
    throw error;
  });
}

/** Resolves when the account is paired; immediately if it already is or if no pairing is required. */
export async function pair(context: DriverContext, settings: Settings, db: Database): Promise<void> {
  const { pairing, pairingSeconds } = settings;
  if (pairing === 'none') return;
  const credentials = readCredentials(context.credentials);
  if (typeof credentials.session === 'string' && (await hasSession(db, context, credentials.session))) return;
  const doneAt = pairingSeconds === 0 ? Number.POSITIVE_INFINITY : performance.now() + pairingSeconds * 1000;
  for (;;) {
    const step = newStep(pairing);
    context.pairing(step);
    const validMs = step.expiresAt.getTime() - currentMs();
    const leftMs = doneAt - performance.now();
    await wait(Math.min(leftMs, validMs), context.signal);
    // Compares durations, not clock times: a timer may fire slightly early, which would show another step.
    if (leftMs <= validMs) break;
  }
  const session = randomBytes(24).toString('base64url');
  await saveSession(db, context, session);
  await context.saveCredentials({ ...credentials.all, session });
  context.pairing(null);
}
