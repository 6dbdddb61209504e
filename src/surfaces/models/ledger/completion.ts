/**
 * Completes calls: each is recorded, counted and settled in the transaction that removes it from the open ones, so it
 * happens exactly once, regardless of retries, other processes, and unconfirmed commits.
 */
import type { ReadUnit, Unit } from '../../../core/unit/unit-of-work.ts';
import { timeOfUuid } from '../../../platform/db/uuid-time.ts';
import { type Crossing, reachedThreshold, writeThresholdEvents } from '../budgets/budget-threshold.ts';
import type { CallResult, OpenCall } from '../contract/call-ledger.ts';
import { type CallRow, type EndedCall, toCallRow } from './call-record.ts';
import { addUpCalls } from './call-stats.ts';
import * as store from './completion.store.ts';

/** A call whose process no longer renews its lease. It counts as a call; its usage is unknown. */
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

/** Returns the call's usage of a budget. If its cost is unknown although it was reserved, the reservation counts. */
function getUsed(
  unit: string,
  { input_tokens: input, output_tokens: output, cost }: CallRow,
  reserved: number,
): number {
  if (unit === 'calls') return 1;
  return unit === 'tokens' ? input + output : (cost ?? reserved);
}

/** A completed call, and its reservations. */
export interface Ended {
  row: CallRow;
  reservations: store.Reservation[];
  /** The journal whose slices it had reserved from, or null. */
  journalId: string | null;
}

/** Converts reservations of calls to usage. A reservation of an earlier window changes nothing in the current one. */
function settle(budget: store.LockedBudget, calls: readonly Ended[]): store.LockedBudget {
  let { used, reserved } = budget;
  for (const { row, reservations } of calls)
    for (const { budget_id: id, window_start: start, amount } of reservations) {
      if (id !== budget.id || Date.parse(start) !== budget.window_start.getTime()) continue;
      reserved = Math.max(0, reserved - amount);
      used += getUsed(budget.unit, row, amount);
    }
  const announced = Math.max(budget.announced, reachedThreshold(used, budget.limit_amount));
  return { ...budget, used, reserved, announced };
}

/**
 * Completes calls of a workspace; those that are not open any more are left out.
 * @param results call ID → its result; null for an interrupted call
 * @returns IDs of the calls that were completed
 */
export async function completeCalls(
  unit: Unit,
  workspaceId: string,
  results: ReadonlyMap<string, CallResult | null>,
): Promise<string[]> {
  const closed = await store.closeCalls(unit.db, workspaceId, [...results.keys()]);
  if (!closed.length) return [];
  const ended = closed.map((call) => ({
    row: toCallRow({ ...call, result: results.get(call.id) ?? toInterrupted(call) }),
    reservations: call.reservations,
    journalId: call.journal_id,
  }));
  await recordEnded(unit, workspaceId, ended);
  return closed.map(({ id }) => id);
}

/** Adds up the reservations of calls from slices, which are now released. */
function addUpSlices(calls: readonly Ended[]): store.SliceUse[] {
  const uses = new Map<string, store.SliceUse>();
  for (const { journalId, reservations } of calls)
    for (const { budget_id, window_start, amount } of journalId === null ? [] : reservations) {
      const key = `${journalId} ${budget_id} ${Date.parse(window_start)}`;
      const use = uses.get(key) ?? { journal_id: journalId!, budget_id, window_start, amount: 0 };
      uses.set(key, { ...use, amount: use.amount + amount });
    }
  return [...uses.values()];
}

/** Records calls that are not open any more: rows, totals, budgets, and events of thresholds that they crossed. */
export async function recordEnded(unit: Unit, workspaceId: string, ended: readonly Ended[]): Promise<void> {
  const budgetIds = new Set(ended.flatMap(({ reservations }) => reservations.map((one) => one.budget_id)));
  const budgets = await store.lockBudgets(unit.db, workspaceId, [...budgetIds]);
  const settled = budgets.map((budget) => settle(budget, ended));
  const rows = ended.map(({ row }) => row);
  await store.recordCalls(unit.db, workspaceId, {
    rows,
    stats: addUpCalls(rows),
    budgets: settled,
    slices: addUpSlices(ended),
  });
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
