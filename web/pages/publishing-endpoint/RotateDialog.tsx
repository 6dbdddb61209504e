/** Gives an endpoint a new secret address or a new secret; the one before counts for a while. */
import { Button, Group, Modal, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { rotateEndpoint } from '../../api/publishing.ts';
import type { AnsweredEndpoint, PublishingEndpoint } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { useForm } from '../../ui/use-form.ts';
import { SECRET_HINTS } from './auth-form.ts';

interface RotateDialogProps {
  endpoint: PublishingEndpoint;
  opened: boolean;
  onClose: () => void;
  onDone: (endpoint: AnsweredEndpoint) => void;
}

const OVERLAPS = [
  { value: '0', label: 'not at all: it ends at once' },
  { value: '3600', label: 'an hour' },
  { value: '86400', label: 'a day' },
  { value: '604800', label: 'a week' },
];

interface Values {
  secret: string;
  overlap_seconds: string;
}
const bodyOf = ({ secret, overlap_seconds: overlap }: Values) => ({
  ...(secret.trim() !== '' && { secret: secret.trim() }),
  overlap_seconds: Number(overlap),
});

export function RotateDialog({ opened, ...rest }: RotateDialogProps) {
  const isAddress = rest.endpoint.auth.type === 'secret_url';
  return (
    <Modal
      opened={opened}
      onClose={rest.onClose}
      title={isAddress ? 'Rotate the address' : 'Rotate the secret'}
    >
      <RotateFields {...rest} />
    </Modal>
  );
}

function RotateFields({ endpoint, onClose, onDone }: Omit<RotateDialogProps, 'opened'>) {
  const { workspace } = useWorkspace();
  const { type, scheme, previous_expires_at: previous } = endpoint.auth;
  const what = type === 'secret_url' ? 'address' : 'secret';
  const form = useForm<Values, AnsweredEndpoint>(
    { secret: '', overlap_seconds: '86400' },
    (values) => rotateEndpoint(workspace.id, endpoint.id, bodyOf(values)),
    (answer) => onDone(answer),
  );
  return (
    <form onSubmit={form.submit}>
      <Stack>
        <Text>
          {`A new ${what} is made. Put it in place at the sender while the present one still counts, and nothing is lost.`}
        </Text>
        {previous !== null && (
          <Text c="var(--mantine-color-error)">
            It was rotated lately: the {what} before the present one (it would have ended{' '}
            <RelativeTime at={previous} />) ends at once.
          </Text>
        )}
        {type === 'signature' && scheme !== null && (
          <TextInput
            label="The new secret"
            description={SECRET_HINTS[scheme]}
            type="password"
            autoComplete="new-password"
            spellCheck={false}
            {...form.text('secret')}
          />
        )}
        <NativeSelect
          label={`The present ${what} goes on to count for`}
          data={OVERLAPS}
          value={form.values.overlap_seconds}
          onChange={({ currentTarget }) => form.set('overlap_seconds', currentTarget.value)}
          error={form.error('overlap_seconds')}
        />
        {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
        <AsCurl
          call={{
            method: 'POST',
            path: `/publishing-endpoints/${endpoint.id}/rotate`,
            body: {
              ...bodyOf(form.values),
              ...(form.values.secret.trim() !== '' && { secret: '…' }),
            },
          }}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={form.pending}>
            Rotate
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
