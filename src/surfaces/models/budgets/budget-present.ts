/** The API's form of a budget. */
import { publicId } from '../../../core/vocabulary/ids.ts';
import { presentAmount } from './budget-amount.ts';
import type {
  BudgetLimit,
  BudgetObject,
  BudgetReservation,
  BudgetUnit,
  BudgetWindow,
} from './budget.schema.ts';
import type { BudgetRow } from './budget.store.ts';

/** The row as the API shows it. */
export function presentBudget(row: BudgetRow): BudgetObject {
  const unit = row.unit as BudgetUnit;
  const show = (amount: number): number => presentAmount(unit, amount);
  return {
    id: publicId('budget', row.id),
    object: 'budget',
    name: row.name,
    api_key_id: row.api_key_id && publicId('api_key', row.api_key_id),
    limit: { [unit]: show(row.limit_amount) } as unknown as BudgetLimit,
    window: row.window_kind as BudgetWindow,
    reservation: row.reservation as BudgetReservation,
    used: show(row.used),
    reserved: show(row.reserved),
    remaining: show(Math.max(0, row.limit_amount - row.used - row.reserved)),
    resets_at: row.resets_at?.toISOString() ?? null,
    metadata: row.metadata as Record<string, string>,
    created_by: row.created_by,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
