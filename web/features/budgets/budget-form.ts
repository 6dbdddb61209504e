/** The values of the budget form, and the request bodies made of them. */
import type { BudgetChange, NewBudget } from '../../api/budgets.ts';
import type { Budget } from '../../api/types.ts';
import { changes } from '../../design/changes.ts';
import { getMetadata, type MetadataPair, toPairs } from '../../patterns/form/metadata.ts';
import { type BudgetUnit, getLimit } from './budget-text.ts';

export interface BudgetForm {
  name: string;
  /** Whether it applies to one API key. */
  scope: 'workspace' | 'key';
  /** ID of the key; empty for none yet. */
  api_key_id: string;
  limit: { unit: BudgetUnit; amount: number };
  window: Budget['window'];
  reservation: Budget['reservation'];
  metadata: MetadataPair[];
}

export const toBudgetForm = (budget: Budget | null): BudgetForm => ({
  name: budget?.name ?? '',
  scope: budget?.api_key_id ? 'key' : 'workspace',
  api_key_id: budget?.api_key_id ?? '',
  limit: budget ? getLimit(budget) : { unit: 'usd', amount: 50 },
  window: budget?.window ?? 'month',
  reservation: budget?.reservation ?? 'worst_case',
  metadata: toPairs(budget?.metadata),
});

const getWanted = ({ name, limit, reservation, metadata }: BudgetForm) => ({
  name: name.trim(),
  limit: { [limit.unit]: limit.amount } as Budget['limit'],
  reservation,
  metadata: getMetadata(metadata),
});

export function toBody(form: BudgetForm): NewBudget {
  const { metadata, ...wanted } = getWanted(form);
  return {
    ...wanted,
    ...(form.scope === 'key' && { api_key_id: form.api_key_id }),
    window: form.window,
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}

/** Returns a PATCH body: the values that differ from the saved budget. */
export const toChange = (form: BudgetForm, budget: Budget): BudgetChange => changes(getWanted(form), budget);
