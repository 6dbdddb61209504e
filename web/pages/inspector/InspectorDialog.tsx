/** Makes an inspector, or changes its name and what it answers. */
import { Button, Group, Modal, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { createInspector, updateInspector } from '../../api/inspectors.ts';
import type { Inspector } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { useForm } from '../../ui/use-form.ts';
import { inspectorBody, inspectorForm, type InspectorForm, PRESETS } from './answer-form.ts';

interface InspectorDialogProps {
  opened: boolean;
  /** The one to change; null makes one. */
  inspector: Inspector | null;
  /** How many there are, for the name of a new one. */
  count: number;
  onClose: () => void;
  onDone: (id: string) => void;
}

export function InspectorDialog({ opened, ...rest }: InspectorDialogProps) {
  return (
    <Modal
      opened={opened}
      onClose={rest.onClose}
      title={rest.inspector ? 'What it answers' : 'New inspector'}
      size={540}
    >
      <Fields {...rest} />
    </Modal>
  );
}

function Fields({ inspector, count, onClose, onDone }: Omit<InspectorDialogProps, 'opened'>) {
  const { workspace } = useWorkspace();
  const form = useForm<InspectorForm, { id: string }>(
    inspectorForm(inspector, count),
    (values) =>
      inspector
        ? updateInspector(workspace.id, inspector.id, inspectorBody(values))
        : createInspector(workspace.id, inspectorBody(values)),
    ({ id }) => onDone(id),
  );
  const { answer } = form.values;
  const set = (change: Partial<typeof answer>) => form.set('answer', { ...answer, ...change });
  const headerFault = Object.keys(inspectorBody(form.values).answer.headers)
    .map((name) => form.at('answer', 'headers', name))
    .find(Boolean);
  const shownFault =
    headerFault ??
    (['status', 'delay_ms', 'body'] as const).map((name) => form.at('answer', name)).find(Boolean);
  const numberField = (name: 'status' | 'delay_ms', label: string, min: number, max: number) => (
    <TextInput
      type="number"
      inputMode="numeric"
      label={label}
      min={min}
      max={max}
      step={1}
      required
      withAsterisk={false}
      value={Number.isNaN(answer[name]) ? '' : answer[name]}
      error={form.at('answer', name)}
      onChange={({ currentTarget }) => set({ [name]: currentTarget.valueAsNumber })}
    />
  );
  return (
    <form onSubmit={form.submit}>
      <Stack>
        <TextInput label="Name" required maxLength={100} data-autofocus {...form.text('name')} />
        <div>
          <Group gap={6} mb={6}>
            <Text size="xs" c="dimmed">
              Try
            </Text>
            {PRESETS.map(({ status, label, says }) => (
              <Button
                key={status}
                size="compact-xs"
                variant={answer.status === status ? 'light' : 'default'}
                aria-pressed={answer.status === status}
                data-tip={says}
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
            {numberField('status', 'Status', 200, 599)}
            {numberField('delay_ms', 'Waits, in ms', 0, 20_000)}
          </Group>
        </div>
        <Textarea
          label="Headers"
          description="One a line. Retry-After, RateLimit, X-RateLimit-*, X-Request-Id and X-Test-* may be set."
          placeholder="Retry-After: 30"
          autosize
          minRows={1}
          maxRows={6}
          spellCheck={false}
          value={answer.headers}
          error={headerFault}
          onChange={({ currentTarget }) => set({ headers: currentTarget.value })}
        />
        <Textarea
          label="Body"
          placeholder="ok"
          autosize
          minRows={2}
          maxRows={8}
          maxLength={4096}
          value={answer.body}
          error={form.at('answer', 'body')}
          onChange={({ currentTarget }) => set({ body: currentTarget.value })}
        />
        {form.error('answer') && !shownFault && (
          <Text c="var(--mantine-color-error)" role="alert">
            {form.error('answer')}
          </Text>
        )}
        {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
        <AsCurl
          call={
            inspector
              ? { method: 'PATCH', path: `/inspectors/${inspector.id}`, body: inspectorBody(form.values) }
              : { method: 'POST', path: '/inspectors', body: inspectorBody(form.values) }
          }
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={form.pending}>
            {inspector ? 'Save' : 'Create inspector'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
