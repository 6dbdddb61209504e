/**
 * Links with `max_clicks`: each visit is granted by the database, never from memory, so that over all processes no more
 * than that many are sent on. Visits of one link that come while a transaction is under way share the next one. A visit
 * that is granted and then fails stays used: a limit is a limit.
 */
import type { Unit, Units } from '../../db/unit.ts';
import * as store from './budget.store.ts';

/** What is done in the transaction that uses a budget up. */
export interface Exhaustion {
  /** Locks the link, before its budget is: in the order that changes of links have. */
  lock(unit: Unit, workspaceId: string, linkId: string): Promise<void>;
  /** Both are locked, and the budget is used up. */
  tell(unit: Unit, workspaceId: string, linkId: string): Promise<void>;
}

export interface Budgets {
  /**
   * @returns whether the visit may be sent on; false once the budget is used up, or is gone with its link
   * @throws Error where the database does not answer in time
   */
  take(workspaceId: string, linkId: string): Promise<boolean>;
}

const TIMEOUT_MS = 2_000;
/** Visits of one link that wait at once. */
const MOST_WAITING = 5_000;

export function createBudgets({
  units,
  exhaustion,
}: {
  units: Pick<Units, 'write'>;
  exhaustion: Exhaustion;
}): Budgets {
  interface Waiting {
    resolve(granted: boolean): void;
    reject(error: unknown): void;
  }
  /** A link is there while a transaction of it is under way or about to begin. */
  const links = new Map<string, Waiting[]>();

  /** @returns how many of `wanted` are granted; null where that would use it up, and the link is not locked */
  const attempt = (
    workspaceId: string,
    linkId: string,
    wanted: number,
    last: boolean,
  ): Promise<number | null> =>
    units.write(async (unit) => {
      if (last) await exhaustion.lock(unit, workspaceId, linkId);
      const budget = await store.lockBudget(unit.db, workspaceId, linkId);
      if (!budget) return 0;
      const granted = Math.max(0, Math.min(wanted, budget.max - budget.used));
      if (granted === 0) return 0;
      const isUsedUp = budget.used + granted >= budget.max;
      if (isUsedUp && !last) return null;
      await store.useBudget(unit.db, workspaceId, linkId, budget.used + granted);
      if (isUsedUp) await exhaustion.tell(unit, workspaceId, linkId);
      return granted;
    });
  const use = async (workspaceId: string, linkId: string, wanted: number): Promise<number> =>
    (await attempt(workspaceId, linkId, wanted, false)) ??
    (await attempt(workspaceId, linkId, wanted, true)) ??
    0;

  const drain = async (workspaceId: string, linkId: string, waiting: Waiting[]): Promise<void> => {
    while (waiting.length) {
      const batch = waiting.splice(0);
      try {
        const granted = await use(workspaceId, linkId, batch.length);
        batch.forEach(({ resolve }, nth) => resolve(nth < granted));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    links.delete(linkId);
  };

  return {
    take: (workspaceId, linkId) =>
      new Promise<boolean>((resolve, reject) => {
        const late = setTimeout(
          () => reject(new Error('the budget of a link could not be asked in time')),
          TIMEOUT_MS,
        );
        const entry: Waiting = {
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
        if (others && others.length >= MOST_WAITING)
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
