/** Gives a key a new secret; the old one may go on for a while, so that nothing stops. */
import { Button, Group, Modal, Radio, Stack, Text } from '@mantine/core';
import { rotateApiKey } from '../../api/api-keys.ts';
import type { AnsweredKey, ApiKey } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { useForm } from '../../ui/use-form.ts';

const OVERLAPS = [
  { seconds: 0, label: 'At once', description: 'The old secret may be known to somebody.' },
  { seconds: 3600, label: 'In an hour', description: 'Time to put the new one in place.' },
  { seconds: 86_400, label: 'In 24 hours', description: 'Time for a rollout.' },
  { seconds: 604_800, label: 'In 7 days', description: 'Others must change theirs too.' },
];

interface RotateKeyDialogProps {
  /** Null keeps the dialog closed. */
  apiKey: ApiKey | null;
  onClose: () => void;
  onDone: (key: AnsweredKey) => void;
}

export function RotateKeyDialog({ apiKey, onClose, onDone }: RotateKeyDialogProps) {
  return (
    <Modal opened={apiKey !== null} onClose={onClose} title={`Rotate ${apiKey?.name ?? ''}`}>
      {apiKey && <RotateForm apiKey={apiKey} onClose={onClose} onDone={onDone} />}
    </Modal>
  );
}

function RotateForm({ apiKey, onClose, onDone }: RotateKeyDialogProps & { apiKey: ApiKey }) {
  const { workspace } = useWorkspace();
  const form = useForm(
    { overlap_seconds: 86_400 },
    ({ overlap_seconds }) => rotateApiKey(workspace.id, apiKey.id, overlap_seconds),
    (key) => onDone(key),
  );
  return (
    <form onSubmit={form.submit}>
      <Stack>
        <Text>
          The key gets a new secret and keeps its id, scopes and restrictions. When does the old secret stop?
        </Text>
        <Radio.Group
          aria-label="When the old secret stops"
          value={String(form.values.overlap_seconds)}
          onChange={(seconds) => form.set('overlap_seconds', Number(seconds))}
          error={form.error('overlap_seconds')}
        >
          <Stack gap="xs">
            {OVERLAPS.map(({ seconds, label, description }) => (
              <Radio key={seconds} value={String(seconds)} label={label} description={description} />
            ))}
          </Stack>
        </Radio.Group>
        {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
        <AsCurl call={{ method: 'POST', path: `/api-keys/${apiKey.id}/rotate`, body: form.values }} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={form.pending}>
            Rotate key
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
