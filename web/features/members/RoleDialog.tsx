/** Changes the role of a member. */
import { FormBody, FormDialog } from '../../patterns/form/form-frame.tsx';
import { t } from '../../copy/text.ts';
import { updateMember } from '../../api/members.ts';
import type { Member } from '../../api/types.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { useApiForm } from '../../patterns/form/use-api-form.ts';
import { RolePicker } from './RolePicker.tsx';

interface RoleDialogProps {
  /** Null keeps the dialog closed. */
  member: Member | null;
  onClose: () => void;
  onDone: () => void;
}

export function RoleDialog({ member, onClose, onDone }: RoleDialogProps) {
  return (
    <FormDialog
      opened={member !== null}
      onClose={onClose}
      title={t('Change role of {name}', { name: member?.name ?? member?.email ?? '' })}
    >
      {member && <RoleForm member={member} onDone={onDone} />}
    </FormDialog>
  );
}

function RoleForm({ member, onDone }: { member: Member; onDone: () => void }) {
  const { workspace } = useWorkspace();
  const form = useApiForm(
    { role: member.role },
    (values) => updateMember(workspace.id, member.id, values),
    onDone,
  );
  return (
    <FormBody
      form={form}
      submit={t('Change role')}
      call={{ method: 'PATCH', path: `/members/${member.id}`, body: form.values }}
      disabled={form.values.role === member.role}
    >
      <RolePicker
        value={form.values.role}
        onChange={(role) => form.set('role', role)}
        error={form.error('role')}
      />
    </FormBody>
  );
}
