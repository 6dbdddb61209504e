/**
 * Completes calls: each is recorded, counted and settled in the transaction that removes it from the open ones, so it
 * happens exactly once, whoever tries, however often, and whether or not a commit was confirmed.
 */
import type { ReadUnit, Unit } from '../../../core/unit-of-work.ts';
import { timeOfUuid } from '../../../platform/db/uuid-time.ts';
import { type Crossing, reachedThreshold, writeThresholdEvents } from '../budgets/budget-threshold.ts';
import type { CallResult, OpenCall } from './call-ledger.ts';
import { type EndedCall, toCallRow } from './call-record.ts';
import { addUpCalls } from './call-stats.ts';
import * as store from './completion.store.ts';

/** A call whose process no longer renews its lease. It counts as a call; what it used is not known. */
const toInterrupted = (call: store.ClosedCall): EndedCall['result'] => ({
  outcome: 'interrupted',
  model: call.model,
  providerId: null,
  status: null,
  errorCode: null,
  attempts: null,
  usage: { input: 0, cached: 0, output: 0 },
  isEstimated: false,
  cost: 0,
  firstByteMs: null,
  durationMs: call.lease_until.getTime() - timeOfUuid(call.id).getTime(),
});

/** What a call used of a budget. Where its cost is not known although it was reserved, the reservation counts. */
function getUsed(unit: string, { usage, cost }: EndedCall['result'], reserved: number): number {
  if (unit === 'calls') return 1;
  if (unit === 'tokens') return usage.input + usage.output;
  return cost === null ? reserved : Math.max(0, Math.round(cost));
}

type Ended = EndedCall & Pick<store.ClosedCall, 'reservations'>;

/** Moves what calls reserved to what they used. A reservation of an earlier window changes nothing in the current one. */
function settle(budget: store.LockedBudget, calls: readonly Ended[]): store.LockedBudget {
  let { used, reserved } = budget;
  for (const { result, reservations } of calls)
    for (const { budget_id: id, window_start: start, amount } of reservations) {
      if (id !== budget.id || Date.parse(start) !== budget.window_start.getTime()) continue;
      reserved = Math.max(0, reserved - amount);
      used += getUsed(budget.unit, result, amount);
    }
  const announced = Math.max(budget.announced, reachedThreshold(used, budget.limit_amount));
  return { ...budget, used, reserved, announced };
}

/**
 * Completes calls of a workspace; those that are not open any more are left out.
 * @param results call ID → how it ended; null for a call that was interrupted
 * @returns IDs of the calls that were completed
 */
export async function completeCalls(
  unit: Unit,
  workspaceId: string,
  results: ReadonlyMap<string, CallResult | null>,
): Promise<string[]> {
  const closed = await store.closeCalls(unit.db, workspaceId, [...results.keys()]);
  if (!closed.length) return [];
  const ended: Ended[] = closed.map((call) => ({
    ...call,
    result: results.get(call.id) ?? toInterrupted(call),
  }));
  const budgetIds = new Set(closed.flatMap(({ reservations }) => reservations.map((one) => one.budget_id)));
  const budgets = await store.lockBudgets(unit.db, workspaceId, [...budgetIds]);
  const settled = budgets.map((budget) => settle(budget, ended));
  const rows = ended.map(toCallRow);
  await store.recordCalls(unit.db, workspaceId, rows, addUpCalls(rows), settled);
  const crossings: Crossing[] = settled.map(({ id, window_start: windowStart, announced }, nth) => ({
    budgetId: id,
    windowStart,
    before: budgets[nth]!.announced,
    after: announced,
  }));
  await writeThresholdEvents(
    unit,
    workspaceId,
    crossings.filter(({ before, after }) => after > before),
  );
  return closed.map(({ id }) => id);
}

/**
 * Completes calls of a workspace in one statement.
 * @returns false if they need `completeCalls`: one is not open any more, or a threshold is crossed. Nothing was written then
 */
export const completeOpenCalls = (
  { db }: ReadUnit,
  workspaceId: string,
  calls: readonly { call: OpenCall; result: CallResult }[],
): Promise<boolean> => {
  const rows = calls.map(({ call, result }) => toCallRow({ ...call, actor: call.actor.id, result }));
  return store.completeTogether(db, workspaceId, rows, addUpCalls(rows));
};
