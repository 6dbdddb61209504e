/** Invites somebody; the link that comes back is shown once, to be handed over. */
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { signUpStatusQuery } from '../../api/auth.ts';
import { createInvitation } from '../../api/members.ts';
import type { Invitation, Role } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { useForm } from '../../ui/use-form.ts';
import { RolePicker } from './RolePicker.tsx';

interface NewInvitation {
  email: string;
  role: Role;
}

interface InviteDialogProps {
  opened: boolean;
  onClose: () => void;
  onDone: (invitation: Invitation) => void;
}

export function InviteDialog({ opened, onClose, onDone }: InviteDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Invite somebody" closeOnClickOutside={false}>
      <InviteForm onClose={onClose} onDone={onDone} />
    </Modal>
  );
}

function InviteForm({ onClose, onDone }: Omit<InviteDialogProps, 'opened'>) {
  const { workspace } = useWorkspace();
  const { data: status } = useQuery(signUpStatusQuery);
  const form = useForm<NewInvitation, Invitation>(
    { email: '', role: 'developer' },
    (values) => createInvitation(workspace.id, values),
    onDone,
  );
  return (
    <form onSubmit={form.submit}>
      <Stack>
        <TextInput
          label="Email"
          type="email"
          description="The invitation works for this address only, once, for 7 days."
          required
          withAsterisk={false}
          data-autofocus
          {...form.text('email')}
        />
        <RolePicker
          value={form.values.role}
          onChange={(role) => form.set('role', role)}
          error={form.error('role')}
        />
        {status && (
          <Text size="xs" c="dimmed">
            {status.mail
              ? 'The link is mailed, and shown to you once to copy.'
              : 'This server sends no mail: the link is shown to you once, to hand over.'}
          </Text>
        )}
        {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
        <AsCurl call={{ method: 'POST', path: '/invitations', body: form.values }} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={form.pending}>
            Invite
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
