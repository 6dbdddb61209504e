/** Creates an inspector, or edits its name and response. */
import { Button, Group, Text, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { NumberField } from '../../design/NumberField.tsx';
import { EditDialog } from '../../patterns/form/EditDialog.tsx';
import type { ObjectDialogProps } from '../../patterns/actions/action.ts';
import { t } from '../../copy/text.ts';
import { createInspector, inspectorsQuery, updateInspector } from '../../api/inspectors.ts';
import type { Inspector } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { MetadataField } from '../../patterns/form/MetadataField.tsx';
import type { ApiForm } from '../../patterns/form/use-api-form.ts';
import { toInspectorBody, toInspectorForm, type InspectorForm, PRESETS } from './answer-form.ts';

export function InspectorDialog(props: ObjectDialogProps<Inspector, { id: string }>) {
  const { workspace } = useWorkspace();
  const { data: all = [] } = useQuery(inspectorsQuery(workspace.id));
  return (
    <EditDialog
      {...props}
      size={540}
      create={t('Create inspector')}
      edit={() => t('Edit inspector')}
      fill={(inspector) => toInspectorForm(inspector, all.length)}
      call={(values, inspector) => {
        const body = toInspectorBody(values);
        return inspector ? updateInspector(inspector.id, body) : createInspector(body);
      }}
    >
      {(form) => <Fields form={form} />}
    </EditDialog>
  );
}

function Fields({ form }: { form: ApiForm<InspectorForm> }) {
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
    <>
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
    </>
  );
}
