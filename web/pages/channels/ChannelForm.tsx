/** The form of an instance, made from its channel's schemas: for connecting one, and for changing it. */
import { Button, Stack, Text } from '@mantine/core';
import { IconPlugConnected } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import type { CallExample } from '../../api/curl.ts';
import type { Channel, Instance } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { Accordion } from '../../ui/Accordion.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import ui from '../../ui/ui.module.css';
import { givesCredentials, movesHost } from './channel-form.ts';
import classes from './channels.module.css';
import { CheckAnswer } from './CheckAnswer.tsx';
import { type Field, type FieldValues, leavesOf } from './schema-fields.ts';
import { SchemaFields } from './SchemaFields.tsx';
import { useChannelForm } from './use-channel-form.ts';

interface ChannelFormProps<R> {
  channel: Channel;
  /** Null makes one. */
  instance: Instance | null;
  /** What the button says. */
  action: string;
  save: (values: FieldValues) => Promise<R>;
  /** The calls that `save` makes, with secrets masked. */
  calls: (values: FieldValues) => CallExample[];
  onDone: (answer: R) => void;
  onCancel: () => void;
}

const optional = (fields: readonly Field[]): Field[] =>
  fields.map((field) => ({ ...field, required: false, fields: optional(field.fields) }));

export function ChannelForm<R>(props: ChannelFormProps<R>) {
  const { channel, instance, action, save, calls, onDone, onCancel } = props;
  const { workspace } = useWorkspace();
  const form = useChannelForm(workspace.id, channel, instance, save, onDone);
  const { fields, values, refusals } = form;
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => {
    const find = (selector: string) => element.current?.querySelector<HTMLElement>(selector);
    const field = find(refusals === 0 ? 'input' : '[aria-invalid=true]');
    if (field) field.focus();
    // It may stand below what is seen of a long form.
    else find('[role=alert], [role=status]')?.scrollIntoView({ block: 'center' });
  }, [refusals]);
  const shared = { values, onChange: form.set, error: form.error };
  // What is stored can't be read, so there is nothing to check unless it is given again.
  const given = givesCredentials(fields, values);
  const moved = instance !== null && movesHost(channel, form.first, values);
  const needed = instance === null || given || (moved && leavesOf(fields.credentials).length > 0);
  const credentials = (
    <SchemaFields fields={needed ? fields.credentials : optional(fields.credentials)} {...shared} />
  );
  const fault = form.error('/credentials');
  return (
    <form ref={element} onSubmit={form.submit} autoComplete="off">
      <Stack gap="lg">
        <SchemaFields fields={[fields.name, ...fields.settings]} {...shared} />
        {fields.credentials.length > 0 &&
          (instance === null ? (
            <fieldset className={classes.fieldset}>
              <legend>Credentials</legend>
              <Text size="xs" c="dimmed">
                Stored encrypted; nobody can read them again.
              </Text>
              {credentials}
            </fieldset>
          ) : (
            <Accordion
              title="Credentials"
              note="those that are stored stay, unless you give others"
              faulty={moved || given || fault !== undefined || form.isFaulty(fields.credentials)}
            >
              {(fault !== undefined || moved) && (
                <Text size="xs" mb="xs" c={fault ? 'var(--mantine-color-error)' : 'dimmed'}>
                  {fault ?? 'They would be sent to another server than before: give them again.'}
                </Text>
              )}
              {credentials}
            </Accordion>
          ))}
        <Accordion
          title="Queue"
          note="how long messages may wait"
          opened={instance !== null && instance.queue_ttl_seconds !== Number(fields.queue[0]?.fallback)}
          faulty={form.isFaulty(fields.queue)}
        >
          <SchemaFields fields={fields.queue} {...shared} />
        </Accordion>
        {form.check.answer && <CheckAnswer answer={form.check.answer} />}
        {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
        <AsCurl call={calls(values)} />
        <div className={ui.dialogFoot}>
          {needed && (
            <Button
              variant="default"
              mr="auto"
              leftSection={<IconPlugConnected size={16} />}
              loading={form.check.isPending}
              onClick={form.check.run}
            >
              Check credentials
            </Button>
          )}
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={form.isSaving}>
            {action}
          </Button>
        </div>
      </Stack>
    </form>
  );
}
