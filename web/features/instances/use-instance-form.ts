/** The state of an instance's form: its values, its two requests (test and save) and their field errors. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../../api/call.ts';
import { checkChannel } from '../../api/instances.ts';
import { ApiProblem, type Fault } from '../../api/problem.ts';
import type { Channel, ChannelCheck, Instance } from '../../api/types.ts';
import { type ChannelFields, fieldsFor, firstValues, getParts } from './instance-form.ts';
import { type Field, type FieldValue, type FieldValues, getLeaves } from './schema-fields.ts';

/** Field errors start in lower case, as they can be part of a sentence. */
const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const getGroups = (fields: readonly Field[]): Field[] =>
  fields.flatMap((field) => (field.kind === 'group' ? [field, ...getGroups(field.fields)] : []));

/** Returns the pointers of the fields that can show an error. */
const getErrorPointers = ({ name, settings, credentials, queue }: ChannelFields): Set<string> => {
  const all = [name, ...settings, ...credentials, ...queue];
  return new Set([
    '/credentials',
    '/metadata',
    ...[...getLeaves(all), ...getGroups(all)].map(({ pointer }) => pointer),
  ]);
};

/** Errors of a secret that the channel does not accept. */
const SECRET_CODES: ReadonlySet<string> = new Set([
  'authentication_failed',
  'credentials_expired',
  'token_expired',
]);

/** Returns the error of a connection test for the first secret of the form, if the channel rejects it. */
function getCheckError({ error }: ChannelCheck, { credentials }: ChannelFields): Fault | null {
  if (!error || !SECRET_CODES.has(error.code)) return null;
  const field = getLeaves(credentials).find(({ kind }) => kind === 'secret');
  return field ? { pointer: field.pointer, code: error.code, detail: error.detail } : null;
}

interface InstanceFormOptions<R> {
  workspaceId: string;
  channel: Channel;
  instance: Instance | null;
  /** Sends the form; its response goes to `done`. */
  save: (values: FieldValues) => Promise<R>;
  /** Reads an existing instance again. */
  reload: (() => Promise<Instance>) | undefined;
  done: (answer: R) => void;
}

export function useInstanceForm<R>(options: InstanceFormOptions<R>) {
  const { workspaceId, channel, instance, save, reload, done } = options;
  const [fields] = useState(() => fieldsFor(channel));
  const [first, setFirst] = useState(() => firstValues(fields, instance));
  const [values, setValues] = useState(first);
  const [faults, setFaults] = useState<readonly Fault[]>([]);
  const [pointers] = useState(() => getErrorPointers(fields));
  const [failure, setFailure] = useState<object | null>(null);
  const reject = (found: readonly Fault[]) => {
    setFaults(found);
    setFailure({});
  };
  const onError = (error: unknown) => reject(error instanceof ApiProblem ? error.faults : []);

  const check = useMutation({
    mutationFn: (sent: FieldValues) => {
      const name = String(sent['/name'] ?? '').trim();
      return send(
        workspaceId,
        checkChannel(channel.id, { ...(name && { name }), ...getParts(fields, sent) }),
      );
    },
    onMutate: () => {
      setFaults([]);
      saving.reset();
    },
    onError,
    onSuccess: (answer) => reject([getCheckError(answer, fields)].filter((fault) => fault !== null)),
  });
  const saving = useMutation({
    mutationFn: save,
    onMutate: () => {
      setFaults([]);
      check.reset();
    },
    onError,
    onSuccess: done,
  });

  const failed = saving.error ?? check.error;
  const rest = faults.filter(({ pointer }) => !pointers.has(pointer));
  const hasOwn = failed instanceof ApiProblem && failed.faults.length > 0;
  return {
    fields,
    /** The initial values. */
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
    /** Whether any of these fields has an error. */
    isFaulty: (among: readonly Field[]) =>
      getLeaves(among).some(({ pointer }) => faults.some((fault) => fault.pointer === pointer)),
    /** The error, if a part of it belongs to no field. */
    problem: failed && (!hasOwn || rest.length > 0) ? failed : null,
    rest,
    /** Another object for each response that needs attention. */
    failure,
    isDirty: JSON.stringify(values) !== JSON.stringify(first),
    check: { run: () => check.mutate(values), isPending: check.isPending, answer: check.data },
    pending: saving.isPending,
    ...(reload && {
      async reload() {
        const next = firstValues(fields, await reload());
        setValues((now) => ({
          ...next,
          ...Object.fromEntries(Object.entries(now).filter(([pointer, value]) => value !== first[pointer])),
        }));
        setFirst(next);
        saving.reset();
      },
    }),
    submit(event?: { preventDefault: () => void }) {
      event?.preventDefault();
      if (!saving.isPending) saving.mutate(values);
    },
  };
}
