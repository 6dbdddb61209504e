/**
 * Enforces `max_clicks`. Each visit is granted by the database and never from memory, so the limit holds across all
 * processes. Visits of a link that arrive during a transaction share the next one. A granted visit that fails later
 * remains counted, because a limit must never be exceeded. A visit that times out before uses nothing.
 */
import { withTimeout } from '../../../platform/time/timeout.ts';
import type { Unit, Units } from '../../../core/unit/unit-of-work.ts';
import type { GetPerson } from '../../../core/auth/person-lookup.ts';
import { createFairGate } from '../../../platform/limits/fair-gate.ts';
import * as store from './budget.store.ts';

/** Hooks of the transaction that uses up a budget. */
export interface Exhaustion {
  /** Locks the link before its budget, in the same order as updates of links. */
  lock(unit: Unit, workspaceId: string, linkId: string): Promise<void>;
  /** Writes the event. Link and budget are locked, and the budget is used up. */
  writeEvent(unit: Unit, workspaceId: string, linkId: string): Promise<void>;
}

export interface Budgets {
  /**
   * Takes one visit from the budget.
   * @returns whether the visit may be redirected; false if the budget is used up or was deleted with its link
   * @throws Error if the database does not respond in time
   */
  take(workspaceId: string, linkId: string): Promise<boolean>;
}

const TIMEOUT_MS = 2_000;
/** Concurrent transactions: visits of limited links must not use up the connections, however many such links exist. */
const MAX_CONCURRENT = 4;
/** Longer transactions are abandoned, for example on a dead connection. */
const ABANDON_MS = 5_000;
/** Maximum number of queued visits per link. */
const MAX_QUEUED = 5_000;

export function createBudgets({
  units,
  getPerson,
  exhaustion,
}: {
  units: Pick<Units, 'write'>;
  /** Returns the person that a workspace's load counts toward. */
  getPerson: GetPerson;
  exhaustion: Exhaustion;
}): Budgets {
  interface QueuedVisit {
    /** Whether the visit has timed out and was answered. */
    isTimedOut: boolean;
    resolve(granted: boolean): void;
    reject(error: unknown): void;
  }
  /** Queued visits by link. An entry exists while a transaction of the link is running or scheduled. */
  const links = new Map<string, QueuedVisit[]>();
  const inTurn = createFairGate({ capacity: MAX_CONCURRENT });

  /**
   * Grants visits that are still waiting when the budget is locked. Visits that timed out use nothing.
   * @returns the granted visits; null if they would use up the budget and the link is not locked
   */
  const attempt = (
    workspaceId: string,
    linkId: string,
    batch: readonly QueuedVisit[],
    isLast: boolean,
  ): Promise<readonly QueuedVisit[] | null> =>
    units.write(async (unit) => {
      if (isLast) await exhaustion.lock(unit, workspaceId, linkId);
      const budget = await store.lockBudget(unit.db, workspaceId, linkId);
      if (!budget) return [];
      const remaining = Math.max(0, budget.max - budget.used);
      const granted = batch.filter(({ isTimedOut }) => !isTimedOut).slice(0, remaining);
      if (granted.length === 0) return [];
      const isUsedUp = granted.length === remaining;
      if (isUsedUp && !isLast) return null;
      await store.saveBudget(unit.db, workspaceId, linkId, budget.used + granted.length);
      if (isUsedUp) await exhaustion.writeEvent(unit, workspaceId, linkId);
      return granted;
    });
  const use = async (
    workspaceId: string,
    linkId: string,
    batch: readonly QueuedVisit[],
  ): Promise<ReadonlySet<QueuedVisit>> =>
    new Set(
      (await attempt(workspaceId, linkId, batch, false)) ??
        (await attempt(workspaceId, linkId, batch, true)) ??
        [],
    );

  const drain = async (workspaceId: string, linkId: string, waiting: QueuedVisit[]): Promise<void> => {
    const person = await getPerson(workspaceId);
    while (waiting.length)
      await inTurn([person, workspaceId, linkId], async () => {
        const batch = waiting.splice(0).filter(({ isTimedOut }) => !isTimedOut);
        if (batch.length === 0) return;
        try {
          const granted = await withTimeout(
            use(workspaceId, linkId, batch),
            ABANDON_MS,
            `the click budget of a link could not be read within ${ABANDON_MS} ms`,
          );
          for (const one of batch) one.resolve(granted.has(one));
        } catch (error) {
          for (const { reject } of batch) reject(error);
        }
      });
    links.delete(linkId);
  };

  return {
    take: (workspaceId, linkId) =>
      new Promise<boolean>((resolve, reject) => {
        const timer = setTimeout(() => {
          entry.isTimedOut = true;
          reject(new Error('the click budget of a link could not be read in time'));
        }, TIMEOUT_MS);
        const entry: QueuedVisit = {
          isTimedOut: false,
          resolve(granted) {
            clearTimeout(timer);
            resolve(granted);
          },
          reject(error) {
            clearTimeout(timer);
            reject(error);
          },
        };
        const queue = links.get(linkId);
        if (queue && queue.length >= MAX_QUEUED)
          entry.reject(new Error('too many visits of one link are queued'));
        else if (queue) queue.push(entry);
        else {
          const waiting = [entry];
          links.set(linkId, waiting);
          setImmediate(() => void drain(workspaceId, linkId, waiting));
        }
      }),
  };
}
