/** The state of the endpoint editor: its form, the functions that change it, and error messages by field. */
import { useState } from 'react';
import { t } from '../../copy/text.ts';
import type { Fault } from '../../api/problem.ts';
import { type DestinationForm, type EditorForm, newDestination } from './editor-form.ts';

export interface Editor {
  form: EditorForm;
  set: <K extends keyof EditorForm>(name: K, value: EditorForm[K]) => void;
  change: (key: number, patch: Partial<DestinationForm>) => void;
  /** Appends a destination and returns its key. */
  add: (like?: Partial<DestinationForm>) => number;
  remove: (key: number) => void;
  /** @param by -1 up, 1 down */
  move: (key: number, by: -1 | 1) => void;
  /** Replaces the whole form. */
  reset: (form: EditorForm) => void;
  /** Changes with each reset; errors of an earlier generation don't apply. */
  generation: number;
}

export function useEditor(initial: () => EditorForm): Editor {
  const [{ form, generation }, setState] = useState(() => ({ form: initial(), generation: 0 }));
  const update = (of: (form: EditorForm) => EditorForm) =>
    setState((before) => ({ ...before, form: of(before.form) }));
  const destinations = (of: (all: DestinationForm[]) => DestinationForm[]) =>
    update((before) => ({ ...before, destinations: of(before.destinations) }));
  return {
    form,
    generation,
    set: (name, value) => update((before) => ({ ...before, [name]: value })),
    change: (key, patch) =>
      destinations((all) => all.map((one) => (one.key === key ? { ...one, ...patch } : one))),
    add: (like) => {
      const destination = newDestination(like);
      destinations((all) => [...all, destination]);
      return destination.key;
    },
    remove: (key) => destinations((all) => all.filter((one) => one.key !== key)),
    move: (key, by) =>
      destinations((all) => {
        const at = all.findIndex((one) => one.key === key);
        const other = all[at + by];
        const moved = all[at];
        if (!other || !moved) return all;
        return all.with(at, other).with(at + by, moved);
      }),
    reset: (next) => setState((before) => ({ form: next, generation: before.generation + 1 })),
  };
}

/** Capitalizes a message of the API, which starts in lower case. */
const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Returns the message of an error for a form, which doesn't show the API's field names. */
const errorText = ({ pointer, code, detail }: Fault): string => {
  if (code !== 'required') return sentence(detail);
  return pointer.endsWith('/to') ? t('Enter a recipient') : t('Must not be empty');
};

/**
 * Returns the messages about a field and everything inside it, without repetition.
 * @param pointer JSON pointer such as `/destinations/0/template`
 */
export function getMessage(faults: readonly Fault[], pointer: string): string | undefined {
  const messages = faults
    .filter((fault) => fault.pointer === pointer || fault.pointer.startsWith(`${pointer}/`))
    .map(errorText);
  return messages.length === 0 ? undefined : [...new Set(messages)].join(' ');
}
