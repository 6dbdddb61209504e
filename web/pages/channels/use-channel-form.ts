/** The state of an instance's form: its values, the two calls that it may make, and their faults at the fields they are about. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { checkChannel } from '../../api/instances.ts';
import { ApiProblem, type Fault } from '../../api/problem.ts';
import type { Channel, ChannelCheck, Instance } from '../../api/types.ts';
import { type ChannelFields, fieldsFor, firstValues, partsOf } from './channel-form.ts';
import { type Field, type FieldValue, type FieldValues, leavesOf } from './schema-fields.ts';

/** Faults begin in lower case, as they may stand inside a sentence. */
const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const groupsOf = (fields: readonly Field[]): Field[] =>
  fields.flatMap((field) => (field.kind === 'group' ? [field, ...groupsOf(field.fields)] : []));

/** Where a form can show a fault. */
const placesOf = ({ name, settings, credentials, queue }: ChannelFields): Set<string> => {
  const all = [name, ...settings, ...credentials, ...queue];
  return new Set(['/credentials', ...[...leavesOf(all), ...groupsOf(all)].map(({ pointer }) => pointer)]);
};

/** A channel's refusal stands at the first secret of the form, where it is about that. */
function faultOfCheck({ error }: ChannelCheck, { credentials }: ChannelFields): Fault | null {
  if (error?.code !== 'authentication_failed') return null;
  const field = leavesOf(credentials).find(({ kind }) => kind === 'secret');
  return field ? { pointer: field.pointer, code: error.code, detail: error.detail } : null;
}

/** @param save makes the call of the form; its answer goes to `done` */
export function useChannelForm<R>(
  workspaceId: string,
  channel: Channel,
  instance: Instance | null,
  save: (values: FieldValues) => Promise<R>,
  done: (answer: R) => void,
) {
  const [fields] = useState(() => fieldsFor(channel));
  const [first] = useState(() => firstValues(fields, instance));
  const [values, setValues] = useState(first);
  const [faults, setFaults] = useState<readonly Fault[]>([]);
  const [places] = useState(() => placesOf(fields));
  const [refusals, setRefusals] = useState(0);
  const refused = (found: readonly Fault[]) => {
    setFaults(found);
    setRefusals((before) => before + 1);
  };
  const told = (error: unknown) => refused(error instanceof ApiProblem ? error.faults : []);

  const check = useMutation({
    mutationFn: (sent: FieldValues) => {
      const name = String(sent['/name'] ?? '').trim();
      return checkChannel(workspaceId, channel.id, { ...(name && { name }), ...partsOf(fields, sent) });
    },
    onMutate: () => {
      setFaults([]);
      saving.reset();
    },
    onError: told,
    onSuccess: (answer) => refused([faultOfCheck(answer, fields)].filter((fault) => fault !== null)),
  });
  const saving = useMutation({
    mutationFn: save,
    onMutate: () => {
      setFaults([]);
      check.reset();
    },
    onError: told,
    onSuccess: done,
  });

  const failed = saving.error ?? check.error;
  const rest = faults.filter(({ pointer }) => !places.has(pointer));
  const hasOwn = failed instanceof ApiProblem && failed.faults.length > 0;
  return {
    fields,
    /** As they were at first. */
    first,
    values,
    set(pointer: string, value: FieldValue) {
      setValues((before) => ({ ...before, [pointer]: value }));
      setFaults((before) => before.filter((fault) => fault.pointer !== pointer));
      if (!check.isPending) check.reset();
    },
    error(pointer: string): string | undefined {
      const fault = faults.find((one) => one.pointer === pointer);
      return fault && sentence(fault.detail);
    },
    /** Whether anything of these fields is wrong. */
    isFaulty: (among: readonly Field[]) =>
      leavesOf(among).some(({ pointer }) => faults.some((fault) => fault.pointer === pointer)),
    /** The refusal, where something in it belongs to no field. */
    problem: failed && (!hasOwn || rest.length > 0) ? failed : null,
    rest,
    /** Raised with each answer that has something to be looked at. */
    refusals,
    check: { run: () => check.mutate(values), isPending: check.isPending, answer: check.data },
    isSaving: saving.isPending,
    submit(event: { preventDefault: () => void }) {
      event.preventDefault();
      if (!saving.isPending) saving.mutate(values);
    },
  };
}
