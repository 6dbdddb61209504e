/** The context in which a driver opens a connection and emits its signals. */
import { setTimeout as delay } from 'node:timers/promises';
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';
import { isTransientError, isDiskFull, isReadOnly } from '../../../platform/db/database.ts';
import type { Egress } from '../../../platform/egress/egress.ts';
import { Problem } from '../../../platform/http/problem.ts';
import type { DriverContext, PairingStep } from '../../../channels/contract/driver.ts';
import type { Json } from '../../../channels/contract/json.ts';
import type { Signal } from '../../../channels/contract/signal.ts';
import { sealCredentials, sealPairing } from '../instances/instance-secrets.ts';
import type { ClaimedInstance } from './connection.system-store.ts';
import { NO_PAIRING, type Restriction } from './ending.ts';
import { openTimeout, pairingExpired } from './errors.ts';
import { type ConnectionReceiver, type Holding, HoldingLost } from './connection-lease.ts';
import type { Move } from './state-writer.ts';
import type { Times } from './times.ts';
import { currentMs } from '../../../platform/time/clock.ts';

const AGAIN_MS = 250;

/** The connection is closing while signals wait to be stored: the next connection emits them again. */
class Over extends Error {}

export function createContext(deps: {
  instance: ClaimedInstance;
  holding: Holding;
  egress: Egress;
  secrets: SecretBox;
  receiver: ConnectionReceiver;
  position: Json;
  ingressUrl: string | null;
  log: DriverContext['log'];
  write: (move: Pick<Move, 'to' | 'change' | 'row'>) => Promise<boolean>;
  fail: (error: unknown) => void;
  isOver: () => boolean;
  onLimit: (restriction: Restriction | null) => Promise<void>;
}) {
  const { instance, holding, secrets, receiver, write, fail, isOver, onLimit } = deps;
  let step: PairingStep | null = null;
  /** Time at which pairing ended; the time limit for opening restarts here. */
  let pairedAt = 0;
  let telling: Promise<void> = Promise.resolve();
  let writing: Promise<unknown> = Promise.resolve();

  const assertHeld = (): void => {
    if (!holding.isHeld()) throw new HoldingLost();
  };

  const later = async (): Promise<void> => {
    await delay(AGAIN_MS);
    assertHeld();
    if (isOver()) throw new Over();
  };

  /** While the disk is nearly full, nothing new is accepted: the channel keeps it and delays what follows. */
  const waitForSpace = async (): Promise<void> => {
    for (;;)
      try {
        return receiver.assertDiskSpace?.();
      } catch (error) {
        if (!(error instanceof Problem && error.code === 'storage_full')) throw error;
        await later();
      }
  };

  /**
   * While the database is unreachable, full or being moved, or after a deadlock with another instance of the same
   * contacts, this waits as long as the lease allows. Repeated signals are stored once.
   */
  const takeIn = async (signals: Signal[], position: Json | undefined): Promise<void> => {
    if (signals.some(({ kind }) => kind === 'message' || kind === 'unprocessed')) await waitForSpace();
    for (;;)
      try {
        return await receiver.apply(holding, signals, position);
      } catch (error) {
        if (!isTransientError(error) && !isDiskFull(error) && !isReadOnly(error)) throw error;
        await later();
      }
  };

  const apply = async (signals: Signal[], position: Json | undefined): Promise<void> => {
    assertHeld();
    const rest = signals.filter((one) => one.kind !== 'limit');
    if (rest.length || position !== undefined) await takeIn(rest, position);
    for (const one of signals) if (one.kind === 'limit') await onLimit(one.restriction);
  };

  /**
   * One batch at a time, in the channel's order. A batch that can't be stored ends the connection and is emitted again.
   */
  const emit = (signals: Signal[], position?: Json): Promise<void> => {
    const told = telling.then(() => apply(signals, position));
    telling = told.catch((error: unknown) => {
      if (error instanceof HoldingLost) holding.lost();
      else if (!(error instanceof Over)) fail(error);
    });
    return told;
  };

  const pairing = (next: PairingStep | null): void => {
    if (isOver()) return;
    const had = step !== null;
    step = next;
    if (!next) pairedAt = performance.now();
    if (!next && !had) return;
    writing = write({
      to: next
        ? { state: 'action_required', reason: `pairing_${next.kind}` }
        : { state: 'connecting', reason: null },
      change: (_from, now) => ({
        ...(next ? sealPairing(secrets, instance, next) : NO_PAIRING),
        updated_at: now,
      }),
    }).catch(fail);
  };

  return {
    of: (credentials: Json, signal: AbortSignal): DriverContext => ({
      workspaceId: holding.workspaceId,
      instanceId: instance.id,
      name: instance.name,
      settings: holding.settings,
      credentials,
      egress: deps.egress,
      position: deps.position,
      ingressUrl: deps.ingressUrl,
      log: deps.log,
      signal,
      emit,
      async receiveFile(source, about) {
        assertHeld();
        await waitForSpace();
        return receiver.receiveFile(holding, source, about);
      },
      pairing,
      async saveCredentials(given) {
        assertHeld();
        const sealed = sealCredentials(secrets, instance, given);
        const isSaved = await write({
          to: null,
          change: (_from, now) => ({ credentials_sealed: sealed, updated_at: now }),
        });
        if (!isSaved) throw new HoldingLost();
      },
      ended: fail,
    }),
    emit,
    isPairing: () => step !== null,
    /** Resolves once writes caused by pairing are done. */
    settled: () => writing,
    /** Call periodically while it opens. @param now time of the monotonic clock */
    tick(now: number, startedAt: number, times: Times): void {
      if (step) {
        if (currentMs() > step.expiresAt.getTime() + times.pairingGraceMs) fail(pairingExpired());
      } else if (now > Math.max(startedAt, pairedAt) + times.openMs) fail(openTimeout(times.openMs));
    },
  };
}
