/** The state of the rule editor: its form and the functions that change it. */
import { useState } from 'react';
import type { ActionForm, RuleForm } from './rule-form.ts';

export interface RuleEditor {
  form: RuleForm;
  set: <K extends keyof RuleForm>(name: K, value: RuleForm[K]) => void;
  change: (key: number, patch: Partial<ActionForm>) => void;
  /** Appends an action. */
  add: (action: ActionForm) => void;
  remove: (key: number) => void;
  /** @param by -1 up, 1 down */
  move: (key: number, by: -1 | 1) => void;
  /** Replaces the whole form. */
  reset: (form: RuleForm) => void;
}

export function useRuleEditor(initial: () => RuleForm): RuleEditor {
  const [form, setForm] = useState(initial);
  const actions = (of: (all: ActionForm[]) => ActionForm[]) =>
    setForm((before) => ({ ...before, actions: of(before.actions) }));
  return {
    form,
    set: (name, value) => setForm((before) => ({ ...before, [name]: value })),
    change: (key, patch) =>
      actions((all) => all.map((one) => (one.key === key ? { ...one, ...patch } : one))),
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
