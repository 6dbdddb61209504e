import type { Instance, Rule } from '../../api/types.ts';
import type { ActionForm } from './rule-form.ts';

/** The props of the fields of every action type. */
export interface ActionFieldsProps {
  action: ActionForm;
  instances: readonly Instance[];
  onChange: (patch: Partial<ActionForm>) => void;
  /** Returns the error of a field of the action. */
  at: (field: string) => string | undefined;
  /** The saved rule; null for a new one. */
  saved: Rule | null;
}
