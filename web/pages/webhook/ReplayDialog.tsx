/** Asks what is to be sent again, of which time, and starts the job that does it. */
import {
  Button,
  Checkbox,
  Group,
  Input,
  Modal,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useState } from 'react';
import type { Job } from '../../api/types.ts';
import { replayWebhook } from '../../api/webhooks.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { useForm } from '../../ui/use-form.ts';
import { replayBody, replayForm, type ReplayForm, type ReplayStatus } from './replay-form.ts';

const SPANS = [
  { value: '1', label: '1 h' },
  { value: '24', label: '24 h' },
  { value: '168', label: '7 days' },
  { value: '720', label: '30 days' },
  { value: 'custom', label: 'Custom' },
];

const STATUSES: { value: ReplayStatus; label: string; description: string }[] = [
  { value: 'exhausted', label: 'Exhausted', description: 'Tried by the whole schedule, without success.' },
  {
    value: 'canceled',
    label: 'Canceled',
    description: 'Given up when the webhook was disabled, or its receiver was gone.',
  },
  {
    value: 'missing',
    label: 'Missing',
    description: 'Came while the webhook was disabled, or before it was made.',
  },
  { value: 'succeeded', label: 'Succeeded', description: 'The receiver has them, and gets them twice.' },
];

interface ReplayDialogProps {
  webhookId: string;
  opened: boolean;
  /** RFC 3339: where what the receiver missed begins, if that is known. */
  since: string | null;
  onClose: () => void;
  onDone: (job: Job) => void;
}

export function ReplayDialog({ opened, ...rest }: ReplayDialogProps) {
  return (
    <Modal opened={opened} onClose={rest.onClose} title="Replay events" size={560}>
      <ReplayFields {...rest} />
    </Modal>
  );
}

function ReplayFields({ webhookId, since, onClose, onDone }: Omit<ReplayDialogProps, 'opened'>) {
  const { workspace } = useWorkspace();
  const [now] = useState(Date.now);
  const form = useForm<ReplayForm, Job>(
    replayForm(since),
    (values) => replayWebhook(workspace.id, webhookId, replayBody(values, now)),
    (job) => onDone(job),
  );
  const { values, set, error } = form;
  const custom = values.span === 'custom';
  return (
    <form onSubmit={form.submit}>
      <Stack>
        <Text>
          Sends what the receiver has not got. Each event keeps its <code>webhook-id</code>, so a receiver
          that remembers ids takes none twice.
        </Text>
        <Input.Wrapper label="Events of the last" labelElement="div">
          <div>
            <SegmentedControl
              size="xs"
              aria-label="Span of time"
              data={SPANS}
              value={values.span}
              onChange={(span) => set('span', span as ReplayForm['span'])}
            />
          </div>
          {!custom && error('since') && <Input.Error mt={4}>{error('since')}</Input.Error>}
        </Input.Wrapper>
        {custom && (
          <Group grow align="flex-start">
            <TextInput type="datetime-local" label="Since" required {...form.text('since')} />
            <TextInput
              type="datetime-local"
              label="Until"
              description={values.until === '' ? 'now' : undefined}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              {...form.text('until')}
            />
          </Group>
        )}
        <Checkbox.Group
          label="What is sent again"
          value={values.status}
          onChange={(status) => set('status', status)}
          error={error('status') ?? (values.status.length === 0 && 'Choose at least one.')}
        >
          <Stack gap="xs" mt={4}>
            {STATUSES.map((status) => (
              <Checkbox key={status.value} size="xs" {...status} />
            ))}
          </Stack>
        </Checkbox.Group>
        {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
        <AsCurl
          call={{ method: 'POST', path: `/webhooks/${webhookId}/replay`, body: replayBody(values, now) }}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={form.pending} disabled={values.status.length === 0}>
            Replay
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
