/**
 * A form over one API call, on @mantine/form: its values, the call, and the server's field errors beside the fields they
 * are about. Fields have the names of the body's properties, so that the pointer of an error finds its field.
 */
import { type ApiCall, send } from '../../api/call.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiProblem, type Fault } from '../../api/problem.ts';
import { getField, getPointer, sentence } from '../field-errors.ts';

export interface ApiForm<V extends object> {
  values: V;
  set: <K extends keyof V>(name: K, value: V[K]) => void;
  /** The error of one field. */
  error: (name: keyof V & string) => string | undefined;
  /** The value that the server suggests in the error of one field. */
  suggestion: (name: keyof V & string) => string | null;
  /** The error of one part of a field, by its path: `at('headers', 'Host')`. */
  at: (name: keyof V & string, ...path: string[]) => string | undefined;
  /** Props of a text input. */
  text: (name: keyof V & string) => {
    value: string;
    onChange: (event: { currentTarget: { value: string } }) => void;
    error?: string;
  };
  /** The rejection, where something in it belongs to no field; null otherwise. */
  problem: unknown;
  /** The errors of the last attempt that belong to no field. */
  rest: Fault[];
  pending: boolean;
  /** The error of the last attempt; null if there is none. */
  failure: unknown;
  /** Whether anything differs from the values that the form started with. */
  isDirty: boolean;
  submit: (event?: { preventDefault: () => void }) => void;
  /** Fills the fields that weren't edited from another version of the object. */
  refill: (next: V) => void;
  /** For an object that someone else edited: reads it again and refills the form. */
  reload?: () => Promise<void>;
}

const isSame = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

/** @param call makes the request; its result goes to `done`, with functions that reset or refill the form */
export function useApiForm<V extends object, R>(
  initial: V,
  call: (values: V) => Promise<R>,
  done: (answer: R, values: V, form: { reset: () => void; refill: (next: V) => void }) => void,
): ApiForm<V> {
  const form = useForm<V>({ initialValues: initial });
  const { values } = form;
  const [filled, setFilled] = useState(initial);
  const refill = (next: V) => {
    const names = Object.keys(next) as (keyof V)[];
    const untouched = names.filter((name) => isSame(values[name], filled[name]));
    form.setValues(Object.fromEntries(untouched.map((name) => [name, next[name]])) as Partial<V>);
    form.resetDirty(next);
    setFilled(next);
  };
  // An error stays until its field is edited.
  const [edited, setEdited] = useState<ReadonlySet<keyof V>>(new Set());
  const mutation = useMutation({
    mutationFn: call,
    onMutate: () => setEdited(new Set()),
    onSuccess: (answer, sent) => {
      form.resetDirty();
      done(answer, sent, { reset: form.reset, refill });
    },
  });

  const faults = mutation.error instanceof ApiProblem ? mutation.error.faults : [];
  const rest = faults.filter((fault) => !(getField(fault) in values));
  const set: ApiForm<V>['set'] = (name, value) => {
    form.setValues((before) => ({ ...before, [name]: value }) as Partial<V>);
    setEdited((before) => new Set(before).add(name));
  };
  const getFault = (name: keyof V & string): Fault | undefined =>
    edited.has(name) ? undefined : faults.find((fault) => getField(fault) === name);
  const error: ApiForm<V>['error'] = (name) => sentence(getFault(name)?.detail);
  const at: ApiForm<V>['at'] = (name, ...path) =>
    edited.has(name)
      ? undefined
      : sentence(faults.find((fault) => fault.pointer === getPointer(name, ...path))?.detail);

  return {
    values,
    set,
    error,
    suggestion: (name) => getFault(name)?.suggestion ?? null,
    at,
    text: (name) => ({
      value: String(values[name]),
      onChange: (event) => set(name, event.currentTarget.value as V[typeof name]),
      error: error(name),
    }),
    problem: mutation.error && (faults.length === 0 || rest.length > 0) ? mutation.error : null,
    rest,
    pending: mutation.isPending,
    failure: mutation.error,
    isDirty: form.isDirty(),
    submit: (event) => {
      event?.preventDefault();
      if (!mutation.isPending) mutation.mutate(values);
    },
    refill: (next) => {
      refill(next);
      mutation.reset();
    },
  };
}

/**
 * A form that makes one call, which is also shown as cURL.
 * @param call returns the call for the form's values; `isShown` for the cURL command, where secrets have placeholders
 */
export function useCallForm<V extends object, R>(
  initial: V,
  call: (values: V, isShown: boolean) => ApiCall<R>,
  done: (answer: R, values: V, form: { reset: () => void; refill: (next: V) => void }) => void,
): ApiForm<V> & { call: ApiCall<R> } {
  const { workspace } = useWorkspace();
  const form = useApiForm(initial, (values: V) => send(workspace.id, call(values, false)), done);
  return { ...form, call: call(form.values, true) };
}
