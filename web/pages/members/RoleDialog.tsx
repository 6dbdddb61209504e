/** Changes the role of a member. */
import { Button, Group, Modal, Stack } from '@mantine/core';
import { updateMember } from '../../api/members.ts';
import type { Member } from '../../api/types.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { AsCurl } from '../../ui/AsCurl.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { useForm } from '../../ui/use-form.ts';
import { RolePicker } from './RolePicker.tsx';

interface RoleDialogProps {
  /** Null keeps the dialog closed. */
  member: Member | null;
  onClose: () => void;
  onDone: () => void;
}

export function RoleDialog({ member, onClose, onDone }: RoleDialogProps) {
  return (
    <Modal
      opened={member !== null}
      onClose={onClose}
      title={`Role of ${member?.name ?? member?.email ?? 'the member'}`}
    >
      {member && <RoleForm member={member} onClose={onClose} onDone={onDone} />}
    </Modal>
  );
}

function RoleForm({ member, onClose, onDone }: RoleDialogProps & { member: Member }) {
  const { workspace } = useWorkspace();
  const form = useForm(
    { role: member.role },
    (values) => updateMember(workspace.id, member.id, values),
    onDone,
  );
  return (
    <form onSubmit={form.submit}>
      <Stack>
        <RolePicker
          value={form.values.role}
          onChange={(role) => form.set('role', role)}
          error={form.error('role')}
        />
        {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
        <AsCurl call={{ method: 'PATCH', path: `/members/${member.id}`, body: form.values }} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={form.pending} disabled={form.values.role === member.role}>
            Change role
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
