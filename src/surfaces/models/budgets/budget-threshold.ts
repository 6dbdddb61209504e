/** Thresholds of budgets: shares of the limit whose first crossing in a window writes an event. */
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import { publicId } from '../../../core/vocabulary/ids.ts';
import { presentBudget } from './budget-present.ts';
import { getBudgets } from './budget.store.ts';

/** In percent, ascending. */
const THRESHOLDS = [80, 100] as const;

/** Returns the highest threshold that a use has reached; 0 for none. */
export const reachedThreshold = (used: number, limit: number): number =>
  limit === 0 ? 0 : (THRESHOLDS.findLast((percent) => used * 100 >= limit * percent) ?? 0);

export interface Crossing {
  budgetId: string;
  /** The window in which it was crossed. */
  windowStart: Date;
  /** Highest threshold announced before. */
  before: number;
  /** Highest threshold reached now. */
  after: number;
}

/** Writes one event for each threshold that a budget crossed. The caller has locked and updated the budgets' rows. */
export async function writeThresholdEvents(
  unit: Unit,
  workspaceId: string,
  crossings: readonly Crossing[],
): Promise<void> {
  if (!crossings.length) return;
  const ids = crossings.map(({ budgetId }) => budgetId);
  const rows = await getBudgets(unit.db, workspaceId, ids, unit.clock());
  const events = rows.flatMap((row) => {
    const { windowStart, before, after } = crossings.find(({ budgetId }) => budgetId === row.id)!;
    // The last calls of a window may end after it. The budget shows the next window by then.
    if (row.window_start > windowStart) return [];
    return THRESHOLDS.filter((percent) => percent > before && percent <= after).map((threshold) => ({
      workspaceId,
      type: 'budget.threshold_reached' as const,
      resourceId: publicId('budget', row.id),
      object: presentBudget(row),
      also: { threshold },
    }));
  });
  await unit.events.writeAll(unit, events);
}
