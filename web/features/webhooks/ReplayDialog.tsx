/** Chooses which events to replay, and starts the replay job. */
import { Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { RecordDialogProps } from '../../patterns/actions/action.ts';
import { ChoiceField } from '../../patterns/form/ChoiceField.tsx';
import { FormBody, FormDialog } from '../../patterns/form/form-frame.tsx';
import { rich, t } from '../../copy/text.ts';
import type { Job, Webhook } from '../../api/types.ts';
import { replayWebhook } from '../../api/webhooks.ts';
import { useCallForm } from '../../patterns/form/use-api-form.ts';
import { toReplayRequest, newReplayForm, type ReplayForm, type ReplayStatus } from './replay-form.ts';

const SPANS: { value: ReplayForm['span']; label: string }[] = [
  { value: '1', label: t('1 hour') },
  { value: '24', label: t('24 hours') },
  { value: '168', label: t('7 days') },
  { value: '720', label: t('30 days') },
  { value: 'custom', label: t('Custom') },
];

const STATUSES: { value: ReplayStatus; label: string; description: string }[] = [
  { value: 'exhausted', label: t('Exhausted'), description: t('All retries failed.') },
  {
    value: 'canceled',
    label: t('Canceled'),
    description: t('Canceled because the webhook was disabled or its endpoint returned 410 Gone.'),
  },
  { value: 'pending', label: t('Retrying'), description: t('Waiting for the next attempt.') },
  {
    value: 'missing',
    label: t('Missing'),
    description: t('Happened before the webhook was created or while it was disabled.'),
  },
  {
    value: 'succeeded',
    label: t('Succeeded'),
    description: t('Already delivered. Your endpoint receives these events again.'),
  },
];

interface ReplayDialogProps extends RecordDialogProps<Webhook, Job> {
  /** RFC 3339 timestamp from which events were missed, if known. */
  since?: string | null;
}

export function ReplayDialog({ opened, ...rest }: ReplayDialogProps) {
  return (
    <FormDialog opened={opened} onClose={rest.onClose} title={t('Replay events')} size={560}>
      <ReplayFields {...rest} />
    </FormDialog>
  );
}

function ReplayFields({ object, since = null, onDone }: Omit<ReplayDialogProps, 'opened' | 'onClose'>) {
  const [now] = useState(Date.now);
  const form = useCallForm(
    newReplayForm(since),
    (values) => replayWebhook(object.id, toReplayRequest(values, now)),
    (job) => onDone(job),
  );
  const { values, set, error } = form;
  const custom = values.span === 'custom';
  return (
    <FormBody form={form} submit={t('Replay')} disabled={values.status.length === 0}>
      <Text>
        {rich(
          'Sends events of the time range that your endpoint has not received. Each event keeps its <code>webhook-id</code>, so your endpoint can ignore duplicates.',
          { code: (words) => <code>{words}</code> },
        )}
      </Text>
      <ChoiceField
        label={t('Time range')}
        data={SPANS}
        value={values.span}
        onChange={(span) => set('span', span)}
        error={custom ? undefined : error('since')}
      />
      {custom && (
        <Group grow align="flex-start">
          <TextInput type="datetime-local" label={t('Since')} required {...form.text('since')} />
          <TextInput
            type="datetime-local"
            label={t('Until')}
            description={values.until === '' ? t('Now') : undefined}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            {...form.text('until')}
          />
        </Group>
      )}
      <Checkbox.Group
        label={t('Events to replay')}
        value={values.status}
        onChange={(status) => set('status', status)}
        error={error('status') ?? (values.status.length === 0 && t('Select at least one.'))}
      >
        <Stack gap="xs" mt={4}>
          {STATUSES.map((status) => (
            <Checkbox key={status.value} size="xs" {...status} />
          ))}
        </Stack>
      </Checkbox.Group>
    </FormBody>
  );
}
