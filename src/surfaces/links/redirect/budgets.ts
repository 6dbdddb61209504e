/**
 * Links with `max_clicks`: each visit is granted by the database, never from memory, so that over all processes no more
 * than that many are sent on. Visits of one link that come while a transaction is under way share the next one. A visit
 * that is granted and then fails stays used: a limit is a limit. One that gave up before uses nothing.
 */
import { withTimeout } from '../../../platform/time/timeout.ts';
import type { Unit, Units } from '../../../core/unit-of-work.ts';
import { createSemaphore } from '../../../platform/limits/semaphore.ts';
import * as store from './budget.store.ts';

/** What is done in the transaction that uses a budget up. */
export interface Exhaustion {
  /** Locks the link, before its budget is: in the order that changes of links have. */
  lock(unit: Unit, workspaceId: string, linkId: string): Promise<void>;
  /** Both are locked, and the budget is used up. */
  writeEvent(unit: Unit, workspaceId: string, linkId: string): Promise<void>;
}

export interface Budgets {
  /**
   * @returns whether the visit may be sent on; false once the budget is used up, or is gone with its link
   * @throws Error where the database does not answer in time
   */
  take(workspaceId: string, linkId: string): Promise<boolean>;
}

const TIMEOUT_MS = 2_000;
/** Transactions at once: visitors must leave connections to everybody else, however many such links they know. */
const AT_ONCE = 4;
/** A transaction that takes longer is left to itself, as on a connection that nobody answers any more. */
const GIVEN_UP_MS = 5_000;
/** Visits of one link that wait at once. */
const MAX_WAITING = 5_000;

export function createBudgets({
  units,
  exhaustion,
}: {
  units: Pick<Units, 'write'>;
  exhaustion: Exhaustion;
}): Budgets {
  interface Waiting {
    /** It has waited too long, and is answered. */
    isOver: boolean;
    resolve(granted: boolean): void;
    reject(error: unknown): void;
  }
  /** A link is there while a transaction of it is under way or about to begin. */
  const links = new Map<string, Waiting[]>();
  const slots = createSemaphore(AT_ONCE);

  /**
   * Grants as many of those who still wait by the time that the budget is locked: who gave up uses nothing.
   * @returns who may be sent on; null where they would use it up, and the link is not locked
   */
  const attempt = (
    workspaceId: string,
    linkId: string,
    batch: readonly Waiting[],
    last: boolean,
  ): Promise<readonly Waiting[] | null> =>
    units.write(async (unit) => {
      if (last) await exhaustion.lock(unit, workspaceId, linkId);
      const budget = await store.lockBudget(unit.db, workspaceId, linkId);
      if (!budget) return [];
      const left = Math.max(0, budget.max - budget.used);
      const granted = batch.filter(({ isOver }) => !isOver).slice(0, left);
      if (granted.length === 0) return [];
      const isUsedUp = granted.length === left;
      if (isUsedUp && !last) return null;
      await store.useBudget(unit.db, workspaceId, linkId, budget.used + granted.length);
      if (isUsedUp) await exhaustion.writeEvent(unit, workspaceId, linkId);
      return granted;
    });
  const use = async (
    workspaceId: string,
    linkId: string,
    batch: readonly Waiting[],
  ): Promise<ReadonlySet<Waiting>> =>
    new Set(
      (await attempt(workspaceId, linkId, batch, false)) ??
        (await attempt(workspaceId, linkId, batch, true)) ??
        [],
    );

  const drain = async (workspaceId: string, linkId: string, waiting: Waiting[]): Promise<void> => {
    while (waiting.length)
      await slots(async () => {
        const batch = waiting.splice(0).filter(({ isOver }) => !isOver);
        if (batch.length === 0) return;
        try {
          const granted = await withTimeout(
            use(workspaceId, linkId, batch),
            GIVEN_UP_MS,
            `the click limit of a link could not be read in ${GIVEN_UP_MS} ms`,
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
        const late = setTimeout(() => {
          entry.isOver = true;
          reject(new Error('the budget of a link could not be asked in time'));
        }, TIMEOUT_MS);
        const entry: Waiting = {
          isOver: false,
          resolve(granted) {
            clearTimeout(late);
            resolve(granted);
          },
          reject(error) {
            clearTimeout(late);
            reject(error);
          },
        };
        const others = links.get(linkId);
        if (others && others.length >= MAX_WAITING)
          entry.reject(new Error('too many visits of one link wait'));
        else if (others) others.push(entry);
        else {
          const waiting = [entry];
          links.set(linkId, waiting);
          setImmediate(() => void drain(workspaceId, linkId, waiting));
        }
      }),
  };
}
