/** The state of an editor of a rule: its form, and how it is changed. */
import { useState } from 'react';
import type { ActionForm, RuleForm } from './rule-form.ts';

export interface RuleEditor {
  form: RuleForm;
  set: <K extends keyof RuleForm>(name: K, value: RuleForm[K]) => void;
  change: (key: number, with_: Partial<ActionForm>) => void;
  /** Adds one behind the others. */
  add: (action: ActionForm) => void;
  remove: (key: number) => void;
  /** @param by -1 up, 1 down */
  move: (key: number, by: -1 | 1) => void;
  /** Begins anew with another form. */
  reset: (form: RuleForm) => void;
}

export function useRuleEditor(initial: () => RuleForm): RuleEditor {
  const [form, setForm] = useState(initial);
  const actions = (of: (all: ActionForm[]) => ActionForm[]) =>
    setForm((before) => ({ ...before, actions: of(before.actions) }));
  return {
    form,
    set: (name, value) => setForm((before) => ({ ...before, [name]: value })),
    change: (key, with_) =>
      actions((all) => all.map((one) => (one.key === key ? { ...one, ...with_ } : one))),
    add: (action) => actions((all) => [...all, action]),
    remove: (key) => actions((all) => all.filter((one) => one.key !== key)),
    move: (key, by) =>
      actions((all) => {
        const at = all.findIndex((one) => one.key === key);
        const other = all[at + by];
        const moved = all[at];
        if (!other || !moved) return all;
        return all.with(at, other).with(at + by, moved);
      }),
    reset: setForm,
  };
}
