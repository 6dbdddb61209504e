import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { updateEndpoint } from '../../api/publishing.ts';
import type { PublishingEndpoint } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { useForm } from '../../ui/use-form.ts';

interface RenameDialogProps {
  endpoint: PublishingEndpoint;
  opened: boolean;
  onClose: () => void;
  onDone: () => void;
}

/** Gives an endpoint another name. */
export function RenameDialog({ opened, ...rest }: RenameDialogProps) {
  return (
    <Modal opened={opened} onClose={rest.onClose} title="Rename the endpoint">
      <RenameForm {...rest} />
    </Modal>
  );
}

function RenameForm({ endpoint, onClose, onDone }: Omit<RenameDialogProps, 'opened'>) {
  const { workspace } = useWorkspace();
  const form = useForm(
    { name: endpoint.name },
    (values) => updateEndpoint(workspace.id, endpoint.id, values),
    () => onDone(),
  );
  return (
    <form onSubmit={form.submit}>
      <Stack>
        <TextInput
          label="Name"
          required
          withAsterisk={false}
          maxLength={100}
          data-autofocus
          {...form.text('name')}
        />
        {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
        <AsCurl call={{ method: 'PATCH', path: `/publishing-endpoints/${endpoint.id}`, body: form.values }} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={form.pending}>
            Rename
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
