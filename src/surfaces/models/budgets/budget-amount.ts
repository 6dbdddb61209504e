/** Amounts of budgets: US dollars are stored as integers of billionths, tokens and calls unchanged. */
import type { BudgetLimit, BudgetUnit } from './budget.schema.ts';

const BILLION = 1_000_000_000;

export const toUsd = (nanoUsd: number): number => nanoUsd / BILLION;

/** The stored amount as the API shows it. */
export const presentAmount = (unit: BudgetUnit, amount: number): number =>
  unit === 'usd' ? toUsd(amount) : amount;

/** The stored form of a limit, which has exactly one unit. */
export function readLimit(limit: BudgetLimit): { unit: BudgetUnit; amount: number } {
  const [[unit, value]] = Object.entries(limit) as [[BudgetUnit, number]];
  return { unit, amount: unit === 'usd' ? Math.round(value * BILLION) : value };
}
