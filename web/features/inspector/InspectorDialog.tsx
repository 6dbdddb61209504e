/** Creates an inspector, or edits its name and response. */
import { Button, Group, Text, Textarea, TextInput } from '@mantine/core';
import { NumberField } from '../../design/NumberField.tsx';
import { FormBody, FormDialog } from '../../patterns/form/form-frame.tsx';
import { t } from '../../copy/text.ts';
import { createInspector, updateInspector } from '../../api/inspectors.ts';
import type { Inspector } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { MetadataField } from '../../patterns/form/MetadataField.tsx';
import { useEditForm } from '../../patterns/form/use-edit-form.ts';
import { toInspectorBody, toInspectorForm, type InspectorForm, PRESETS } from './answer-form.ts';

interface InspectorDialogProps {
  opened: boolean;
  /** The inspector to edit; null creates one. */
  inspector: Inspector | null;
  /** The number of inspectors, for the name of a new one. */
  count: number;
  onClose: () => void;
  onDone: (id: string) => void;
}

export function InspectorDialog({ opened, ...rest }: InspectorDialogProps) {
  return (
    <FormDialog
      opened={opened}
      onClose={rest.onClose}
      title={rest.inspector ? t('Edit inspector') : t('Create inspector')}
      size={540}
    >
      <Fields {...rest} />
    </FormDialog>
  );
}

function Fields({ inspector, count, onDone }: Omit<InspectorDialogProps, 'opened' | 'onClose'>) {
  const { workspace } = useWorkspace();
  const form = useEditForm<Inspector | null, InspectorForm, { id: string }>({
    object: inspector,
    path: '/inspectors',
    fill: (object) => toInspectorForm(object, count),
    getChange: toInspectorBody,
    save: (values, base, version) =>
      base
        ? updateInspector(workspace.id, base.id, toInspectorBody(values), version)
        : createInspector(workspace.id, toInspectorBody(values)),
    done: ({ id }) => onDone(id),
  });
  const { answer } = form.values;
  const set = (change: Partial<typeof answer>) => form.set('answer', { ...answer, ...change });
  const headerError = Object.keys(toInspectorBody(form.values).answer.headers)
    .map((name) => form.at('answer', 'headers', name))
    .find(Boolean);
  const shownError =
    headerError ??
    (['status', 'delay_ms', 'body'] as const).map((name) => form.at('answer', name)).find(Boolean);
  const numberField = (name: 'status' | 'delay_ms', label: string, min: number, max: number) => (
    <NumberField
      label={label}
      min={min}
      max={max}
      required
      value={answer[name]}
      error={form.at('answer', name)}
      onChange={(text) => set({ [name]: Number.parseInt(text, 10) })}
    />
  );
  return (
    <FormBody
      form={form}
      submit={inspector ? t('Save') : t('Create inspector')}
      call={
        inspector
          ? { method: 'PATCH', path: `/inspectors/${inspector.id}`, body: toInspectorBody(form.values) }
          : { method: 'POST', path: '/inspectors', body: toInspectorBody(form.values) }
      }
    >
      <TextInput label={t('Name')} required maxLength={100} data-autofocus {...form.text('name')} />
      <div>
        <Group gap={6} mb={6}>
          <Text size="xs" c="dimmed">
            {t('Presets')}
          </Text>
          {PRESETS.map(({ status, label, tooltip }) => (
            <Button
              key={status}
              size="compact-xs"
              variant={answer.status === status ? 'filled' : 'default'}
              aria-pressed={answer.status === status}
              data-tip={tooltip}
              onClick={() =>
                set({
                  status,
                  ...(status === 429 && answer.headers === '' && { headers: 'Retry-After: 30' }),
                })
              }
            >
              {label}
            </Button>
          ))}
        </Group>
        <Group grow align="flex-start">
          {numberField('status', t('Status code'), 200, 599)}
          {numberField('delay_ms', t('Delay (ms)'), 0, 20_000)}
        </Group>
      </div>
      <Textarea
        label={t('Headers')}
        description={t(
          'One per line. Allowed: Retry-After, RateLimit, X-RateLimit-*, X-Request-Id, and X-Test-*.',
        )}
        placeholder={t('Retry-After: 30')}
        autosize
        minRows={1}
        maxRows={6}
        spellCheck={false}
        value={answer.headers}
        error={headerError}
        onChange={({ currentTarget }) => set({ headers: currentTarget.value })}
      />
      <Textarea
        label={t('Body')}
        placeholder="ok"
        autosize
        minRows={2}
        maxRows={8}
        maxLength={4096}
        value={answer.body}
        error={form.at('answer', 'body')}
        onChange={({ currentTarget }) => set({ body: currentTarget.value })}
      />
      <MetadataField form={form} />
      {form.error('answer') && !shownError && (
        <Text c="var(--mantine-color-error)" role="alert">
          {form.error('answer')}
        </Text>
      )}
    </FormBody>
  );
}
