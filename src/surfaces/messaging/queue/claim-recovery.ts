/** Finds rows that are claimed but not being executed: those of earlier holders, and of a commit without a response. */
import type { Database } from '../../../platform/db/database.ts';
import { type Claimed, claimedUnder, readByIndex, recoverClaims } from './claim.system-store.ts';
import { type ConnectionSlot, isOpen, toEpoch } from './connection-slot.ts';
import type { ConnectionSlots } from './connection-slots.ts';
import { type Outcome, release } from './outcome.ts';

/** Delay after a failed recovery. */
const RECOVERY_WAIT_MS = 1_000;

export interface ClaimRecoveryDeps {
  db: Database;
  log: Record<'warn' | 'error', (details: object, message: string) => void>;
  slots: ConnectionSlots;
  dispatch: (claimed: Claimed[]) => Promise<void>;
  complete: (slot: ConnectionSlot, row: Claimed, outcome: Outcome) => void;
  /** Starts a cycle soon. */
  wake: () => void;
  /** Has `releaseUnanswered` run before the next cycle: the claims of a transaction are unknown. */
  requestRecovery: () => void;
}

export interface ClaimRecovery {
  /** Takes over the rows of newly attached connections, concurrently with cycles. */
  start(): void;
  /** Releases rows that a cycle claimed whose commit got no response: none of them was executed. */
  releaseUnanswered(): Promise<void>;
  /** Resolves after a started one has ended. */
  stop(): Promise<void>;
}

export function createClaimRecovery(deps: ClaimRecoveryDeps): ClaimRecovery {
  const { db, log, slots, dispatch, complete } = deps;
  let recovery: { slots: ReadonlySet<ConnectionSlot>; run: Promise<void> } | null = null;
  let recoverAt = 0;

  /** Takes over the rows that were active on nodes that held these connections before. */
  const recoverSlots = async (attached: readonly ConnectionSlot[]): Promise<void> => {
    const { held, claimed } = await db.transaction().execute(async (tx) => {
      await readByIndex(tx);
      return recoverClaims(tx, attached.map(toEpoch));
    });
    for (const slot of attached) if (held.has(slot.held.instanceId)) slot.isRecovered = true;
    if (claimed.length) {
      log.warn({ rows: claimed.length }, 'send queue: recovered rows of an earlier holder');
      void dispatch(claimed);
    }
    slots.finishClaim(attached);
  };

  return {
    // It reads all due rows of a connection, which may be many.
    start() {
      if (recovery || performance.now() < recoverAt) return;
      const attached = [...slots.all.values()].filter((slot) => !slot.isRecovered && isOpen(slot));
      if (!attached.length) return;
      for (const slot of attached) slot.isClaiming = true;
      const run = recoverSlots(attached)
        .catch((error: unknown) => {
          deps.requestRecovery();
          recoverAt = performance.now() + RECOVERY_WAIT_MS;
          log.error({ err: error }, 'send queue: could not recover rows of an earlier holder, retrying');
        })
        .finally(() => {
          recovery = null;
          deps.wake();
        });
      recovery = { slots: new Set(attached), run };
    },
    async releaseUnanswered() {
      const claiming = [...slots.all.values()].filter((slot) => !recovery?.slots.has(slot));
      const rows = await db.transaction().execute(async (tx) => {
        await readByIndex(tx);
        return claimedUnder(tx, claiming.map(toEpoch));
      });
      for (const row of rows) {
        const slot = slots.all.get(row.instance_id);
        if (!slot || slot.held.epoch !== row.epoch || slot.claimed.has(row.id)) continue;
        slot.claimed.set(row.id, row);
        complete(slot, row, release(row));
      }
      slots.finishClaim(claiming);
    },
    async stop() {
      await recovery?.run;
    },
  };
}
