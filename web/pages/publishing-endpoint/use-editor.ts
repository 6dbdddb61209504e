/** The state of an editor: its form, how it is changed, and what was said about each of its places. */
import { useState } from 'react';
import type { Fault } from '../../api/problem.ts';
import { type DestinationForm, type EditorForm, newDestination } from './editor-form.ts';

export interface Editor {
  form: EditorForm;
  set: <K extends keyof EditorForm>(name: K, value: EditorForm[K]) => void;
  change: (key: number, with_: Partial<DestinationForm>) => void;
  /** Adds one behind the others. @returns its key */
  add: (like?: Partial<DestinationForm>) => number;
  remove: (key: number) => void;
  /** @param by -1 up, 1 down */
  move: (key: number, by: -1 | 1) => void;
  /** Begins anew with another form. */
  reset: (form: EditorForm) => void;
  /** Changes with each reset: what was said of the form before says nothing of this one. */
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
    change: (key, with_) =>
      destinations((all) => all.map((one) => (one.key === key ? { ...one, ...with_ } : one))),
    add: (like) => {
      const made = newDestination(like);
      destinations((all) => [...all, made]);
      return made.key;
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

/** Faults begin in lower case, as they may stand inside a sentence. */
const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** A fault in words for whoever fills in a form: without the names of the API's fields, where these are not shown. */
export const wordsOf = ({ pointer, code, detail }: Fault): string =>
  code === 'required' && pointer.endsWith('/to') ? 'Say whom it goes to' : sentence(detail);

/** What was said about one place and all that is in it, each once. @param pointer `/destinations/0/template` */
export function getMessage(faults: readonly Fault[], pointer: string): string | undefined {
  const said = faults
    .filter((fault) => fault.pointer === pointer || fault.pointer.startsWith(`${pointer}/`))
    .map(wordsOf);
  return said.length === 0 ? undefined : [...new Set(said)].join(' ');
}
