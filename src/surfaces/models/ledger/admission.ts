/**
 * Admits calls. Calls of a workspace that arrive together share a statement, so a budget's row is locked, and the disk
 * waited for, once. If they don't fit together, each is admitted or rejected on its own, in the order of arrival.
 */
import { type Batcher, createBatcher } from '../../../core/unit/batcher.ts';
import type { ReadUnit, Unit, Units } from '../../../core/unit/unit-of-work.ts';
import { publicId, toUuid } from '../../../core/vocabulary/ids.ts';
import { notFound, Problem } from '../../../platform/http/problem.ts';
import { presentAmount } from '../budgets/budget-amount.ts';
import type { BudgetUnit } from '../budgets/budget.schema.ts';
import { writeThresholdEvents } from '../budgets/budget-threshold.ts';
import { admitCalls, type AdmissionRow, type AppliedBudget } from './admission.store.ts';
import type { AdmittedCall, NewCall, OpenCall } from '../contract/call-ledger.ts';

/** Keeps the transaction, and the time for which it locks budgets, short. */
const MAX_TOGETHER = 100;

const atMost = (amount: number): number => Math.min(Math.ceil(amount), Number.MAX_SAFE_INTEGER);

const toRow = ({ id, actor, operation, model, route, worst, typical }: AdmittedCall): AdmissionRow => ({
  id,
  actor: actor.id,
  key_id: toUuid('api_key', actor.id),
  operation,
  model,
  route,
  tokens: atMost(worst.tokens),
  cost: worst.cost === null ? null : atMost(worst.cost),
  typical_tokens: atMost(typical.tokens),
  typical_cost: typical.cost === null ? null : atMost(typical.cost),
});

const bare = (unit: BudgetUnit, amount: number): string => (unit === 'usd' ? `$${amount}` : String(amount));

/** "$5", "1 call", "100 tokens" */
const withNoun = (unit: BudgetUnit, amount: number): string =>
  unit === 'usd' ? bare(unit, amount) : `${amount} ${amount === 1 ? unit.slice(0, -1) : unit}`;

/** Describes why a call was not admitted, by the budget that blocks it longest. */
function rejectFor(model: string, budgets: readonly AppliedBudget[]): Problem {
  const unpriced = budgets.find(({ needed }) => needed === null);
  if (unpriced)
    return new Problem(
      'price_unknown',
      `The budget "${unpriced.name}" is in US dollars, but the price of "${model.slice(0, 100)}" is not known. Set it in the model provider's \`prices\`, or use a budget of tokens or calls.`,
      { members: { budget_id: publicId('budget', unpriced.id) } },
    );
  const until = ({ resets_at: at }: AppliedBudget): number => at?.getTime() ?? Number.POSITIVE_INFINITY;
  const [first, ...others] = budgets.filter(({ fits }) => !fits);
  const budget = others.reduce((latest, one) => (until(one) > until(latest) ? one : latest), first!);
  const unit = budget.unit as BudgetUnit;
  const present = (amount: number): number => presentAmount(unit, amount);
  const left = bare(unit, present(Math.max(0, budget.limit_amount - budget.used - budget.reserved)));
  const limit = withNoun(unit, present(budget.limit_amount));
  // A call is always one call.
  const verb = budget.reservation === 'typical' ? 'is expected to' : 'could';
  const need =
    unit === 'calls' ? '' : `, and the call ${verb} use ${withNoun(unit, present(budget.needed!))}`;
  const reset = budget.resets_at?.toISOString() ?? null;
  return new Problem(
    'budget_exceeded',
    `The budget "${budget.name}" has ${left} of ${limit} left${need}.${reset === null ? '' : ` It resets at ${reset}.`}${unit === 'calls' ? '' : ' Lower max_tokens, or raise the budget.'}`,
    { members: { resets_at: reset, budget_id: publicId('budget', budget.id) } },
  );
}

type Items = readonly AdmittedCall[];

const admit = (unit: ReadUnit, calls: Items, mayCross: boolean): ReturnType<typeof admitCalls> =>
  admitCalls(unit.db, calls[0]!.actor.workspaceId, calls.map(toRow), { now: unit.clock(), mayCross });

const toOpen =
  (storesContent: boolean) =>
  (call: Items[number]): OpenCall => ({ ...call, startedAt: performance.now(), storesContent });

/** Builds the error of a call that was not admitted. Without a budget, only a deleted workspace admits nothing. */
const toRejection = (call: NewCall, budgets: readonly AppliedBudget[]): Problem =>
  budgets.length ? rejectFor(call.model, budgets) : notFound('workspace');

/** @returns the open calls, or the budgets that reject them */
async function admitTogether(
  unit: Unit,
  calls: Items,
): Promise<{ open: OpenCall[] } | { blocking: AppliedBudget[] }> {
  const { isAdmitted, storesContent, budgets } = await admit(unit, calls, true);
  if (!isAdmitted) return { blocking: budgets };
  const crossings = budgets
    .filter((budget) => budget.announced_after > budget.announced_before)
    .map((budget) => ({
      budgetId: budget.id,
      windowStart: budget.window_start,
      before: budget.announced_before,
      after: budget.announced_after,
    }));
  await writeThresholdEvents(unit, calls[0]!.actor.workspaceId, crossings);
  return { open: calls.map(toOpen(storesContent)) };
}

async function admitEach(unit: Unit, calls: Items): Promise<(OpenCall | Error)[]> {
  const outcomes: (OpenCall | Error)[] = [];
  for (const call of calls) {
    const admitted = await admitTogether(unit, [call]);
    outcomes.push('open' in admitted ? admitted.open[0]! : toRejection(call, admitted.blocking));
  }
  return outcomes;
}

async function admitBatch(unit: Unit, calls: Items): Promise<(OpenCall | Error)[]> {
  const admitted = calls.length > 1 ? await admitTogether(unit, calls) : null;
  return admitted && 'open' in admitted ? admitted.open : admitEach(unit, calls);
}

/** Admits calls that cross no threshold, or rejects a single one. */
async function admitAlone(unit: ReadUnit, calls: Items): Promise<(OpenCall | Error)[] | null> {
  const { isAdmitted, storesContent, budgets } = await admit(unit, calls, false);
  if (isAdmitted) return calls.map(toOpen(storesContent));
  const isRejected = budgets.length === 0 || budgets.some(({ fits }) => !fits);
  return isRejected && calls.length === 1 ? [toRejection(calls[0]!, budgets)] : null;
}

/** Creates the batcher of admissions, whose key is the workspace. */
export const createAdmissions = (units: Units): Batcher<AdmittedCall, OpenCall> =>
  createBatcher({ units, max: MAX_TOGETHER, work: admitBatch, statement: admitAlone });
