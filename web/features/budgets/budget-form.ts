/** The values of the budget form, and the request bodies made of them. */
import type { BudgetChange, NewBudget } from '../../api/budgets.ts';
import type { Budget } from '../../api/types.ts';
import { changes } from '../../design/changes.ts';
import { metadataOf, type MetadataPair, pairsOf } from '../../patterns/form/metadata.ts';
import { type BudgetUnit, limitOf } from './budget-text.ts';

export interface BudgetForm {
  name: string;
  /** Whether it applies to one API key. */
  scope: 'workspace' | 'key';
  /** ID of the key; empty for none yet. */
  api_key_id: string;
  limit: { unit: BudgetUnit; amount: number };
  window: Budget['window'];
  metadata: MetadataPair[];
}

export const budgetFormOf = (budget: Budget | null): BudgetForm => ({
  name: budget?.name ?? '',
  scope: budget?.api_key_id ? 'key' : 'workspace',
  api_key_id: budget?.api_key_id ?? '',
  limit: budget ? limitOf(budget) : { unit: 'usd', amount: 50 },
  window: budget?.window ?? 'month',
  metadata: pairsOf(budget?.metadata),
});

const wantedOf = ({ name, limit, metadata }: BudgetForm) => ({
  name: name.trim(),
  limit: { [limit.unit]: limit.amount } as Budget['limit'],
  metadata: metadataOf(metadata),
});

export function bodyOf(form: BudgetForm): NewBudget {
  const { metadata, ...wanted } = wantedOf(form);
  return {
    ...wanted,
    ...(form.scope === 'key' && { api_key_id: form.api_key_id }),
    window: form.window,
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}

/** Returns a PATCH body: the values that differ from the saved budget. */
export const changeOf = (form: BudgetForm, budget: Budget): BudgetChange => changes(wantedOf(form), budget);
