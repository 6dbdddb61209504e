/** The form that creates or edits an instance, generated from its channel's schemas. */
import { Button, Text } from '@mantine/core';
import { IconPlugConnected } from '@tabler/icons-react';
import { t } from '../../copy/text.ts';
import type { ApiCall } from '../../api/call.ts';
import type { CallExample } from '../../api/curl.ts';
import type { Channel, Instance } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { FormBody } from '../../patterns/form/form-frame.tsx';
import { Accordion } from '../../design/Accordion.tsx';
import { getPointer } from '../../patterns/field-errors.ts';
import { MetadataField } from '../../patterns/form/MetadataField.tsx';
import { givesCredentials, movesHost, pairsOfText, textOfPairs } from './instance-form.ts';
import classes from './instances.module.css';
import { CheckAnswer } from './CheckAnswer.tsx';
import { type Field, type FieldValues, getLeaves } from './schema-fields.ts';
import { SchemaFields } from './SchemaFields.tsx';
import { useInstanceForm } from './use-instance-form.ts';
import { MASK } from '../../patterns/form/mask.ts';

interface InstanceFormProps {
  channel: Channel;
  /** Null creates one. */
  instance: Instance | null;
  /** Reads an existing instance again. */
  reload?: () => Promise<Instance>;
  /** Label of the submit button. */
  action: string;
  /** @param mask replaces each secret where the call is shown */
  call: (values: FieldValues, mask?: string) => ApiCall<Instance>;
  send: (call: ApiCall<Instance>) => Promise<Instance>;
  /** A call that `send` makes after this one. */
  further?: CallExample;
  onDone: (answer: Instance) => void;
}

const optional = (fields: readonly Field[]): Field[] =>
  fields.map((field) => ({ ...field, required: false, fields: optional(field.fields) }));

export function InstanceForm(props: InstanceFormProps) {
  const { channel, instance, reload, action, call, send, further, onDone } = props;
  const { workspace } = useWorkspace();
  const form = useInstanceForm({
    workspaceId: workspace.id,
    channel,
    instance,
    save: (sent) => send(call(sent)),
    reload,
    done: onDone,
  });
  const { fields, values } = form;
  const shared = { values, onChange: form.set, error: form.error };
  // Stored credentials can't be read, so only newly entered ones can be tested.
  const given = givesCredentials(fields, values);
  const moved = instance !== null && movesHost(channel, form.first, values);
  const needed = instance === null || given || (moved && getLeaves(fields.credentials).length > 0);
  const credentials = (
    <SchemaFields fields={needed ? fields.credentials : optional(fields.credentials)} {...shared} />
  );
  const fault = form.error('/credentials');
  return (
    <FormBody form={form} submit={action} call={[call(values, MASK), ...(further ? [further] : [])]} gap="lg">
      <SchemaFields fields={[fields.name, ...fields.settings]} {...shared} />
      {fields.credentials.length > 0 &&
        (instance === null ? (
          <fieldset className={classes.fieldset}>
            <legend>{t('Credentials')}</legend>
            <Text size="xs" c="dimmed">
              {t("Credentials are encrypted. You can't view them after saving.")}
            </Text>
            {credentials}
          </fieldset>
        ) : (
          <Accordion
            title={t('Credentials')}
            note={t('Leave blank to keep the stored credentials')}
            faulty={moved || given || fault !== undefined || form.isFaulty(fields.credentials)}
          >
            {(fault !== undefined || moved) && (
              <Text size="xs" mb="xs" c={fault ? 'var(--mantine-color-error)' : 'dimmed'}>
                {fault ?? t('You changed the server. Enter the credentials again.')}
              </Text>
            )}
            {credentials}
          </Accordion>
        ))}
      <Accordion
        title={t('Queue')}
        note={t('How long messages can wait')}
        opened={instance !== null && instance.queue_ttl_seconds !== Number(fields.queue[0]?.fallback)}
        faulty={form.isFaulty(fields.queue)}
      >
        <SchemaFields fields={fields.queue} {...shared} />
      </Accordion>
      <MetadataField
        form={{
          values: { metadata: pairsOfText(values) },
          set: (_name, pairs) => form.set('/metadata', textOfPairs(pairs)),
          error: () => form.error('/metadata'),
          at: (...path) => form.error(getPointer(...path)),
        }}
      />
      {form.check.answer && <CheckAnswer answer={form.check.answer} />}
      {needed && (
        <Button
          variant="default"
          mr="auto"
          leftSection={<IconPlugConnected size={16} />}
          loading={form.check.isPending}
          onClick={form.check.run}
        >
          {t('Test connection')}
        </Button>
      )}
    </FormBody>
  );
}
