/**
 * A form over one API call: its values, the call, and the server's faults beside the fields they are about.
 * Fields have the names of the body's properties, so a fault's pointer finds its field by itself.
 */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiProblem, type Fault } from '../api/problem.ts';

export interface Form<V extends object> {
  values: V;
  set: <K extends keyof V>(name: K, value: V[K]) => void;
  /** What was said about one field. */
  error: (name: keyof V & string) => string | undefined;
  /** What was said about one part of a field, by its path: `at('headers', 'Host')`. */
  at: (name: keyof V & string, ...path: string[]) => string | undefined;
  /** Props of a text input. */
  text: (name: keyof V & string) => {
    value: string;
    onChange: (event: { currentTarget: { value: string } }) => void;
    error?: string;
  };
  /** The refusal, where something in it belongs to no field. */
  problem: unknown;
  /** The faults of `problem` that belong to no field. */
  rest: Fault[];
  pending: boolean;
  submit: (event?: { preventDefault: () => void }) => void;
}

const fieldOf = (fault: Fault): string => fault.pointer.replace(/^[/?]/, '').split('/')[0] ?? '';

/** Faults begin in lower case, as they may stand inside a sentence. */
const sentence = (text: string | undefined): string | undefined =>
  text && text.charAt(0).toUpperCase() + text.slice(1);

/** @param call makes the request; its answer goes to `done`, with a way to empty the form again */
export function useForm<V extends object, R>(
  initial: V,
  call: (values: V) => Promise<R>,
  done: (answer: R, values: V, reset: () => void) => void,
): Form<V> {
  const [values, setValues] = useState(initial);
  const [edited, setEdited] = useState<ReadonlySet<keyof V>>(new Set());
  const reset = () => setValues(initial);
  const mutation = useMutation({
    mutationFn: call,
    onMutate: () => setEdited(new Set()),
    onSuccess: (answer, sent) => done(answer, sent, reset),
  });

  const faults = mutation.error instanceof ApiProblem ? mutation.error.faults : [];
  const rest = faults.filter((fault) => !(fieldOf(fault) in values));
  const set: Form<V>['set'] = (name, value) => {
    setValues((before) => ({ ...before, [name]: value }));
    setEdited((before) => new Set(before).add(name));
  };
  const error: Form<V>['error'] = (name) =>
    edited.has(name) ? undefined : sentence(faults.find((fault) => fieldOf(fault) === name)?.detail);
  const at: Form<V>['at'] = (name, ...path) => {
    const pointer = [name, ...path].map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`);
    return edited.has(name)
      ? undefined
      : sentence(faults.find((fault) => fault.pointer === pointer.join(''))?.detail);
  };

  return {
    values,
    set,
    error,
    at,
    text: (name) => ({
      value: String(values[name]),
      onChange: (event) => set(name, event.currentTarget.value as V[typeof name]),
      error: error(name),
    }),
    problem: mutation.error && (faults.length === 0 || rest.length > 0) ? mutation.error : null,
    rest,
    pending: mutation.isPending,
    submit: (event) => {
      event?.preventDefault();
      if (!mutation.isPending) mutation.mutate(values);
    },
  };
}
