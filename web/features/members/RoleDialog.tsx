/** Changes the role of a member. */
import { FormBody, FormDialog } from '../../patterns/form/form-frame.tsx';
import { t } from '../../copy/text.ts';
import { updateMember } from '../../api/members.ts';
import type { Member } from '../../api/types.ts';
import { useCallForm } from '../../patterns/form/use-api-form.ts';
import { RolePicker } from './RolePicker.tsx';
import type { RecordDialogProps } from '../../patterns/actions/action.ts';

export function RoleDialog({ opened, object, onClose, onDone }: RecordDialogProps<Member>) {
  return (
    <FormDialog
      opened={opened}
      onClose={onClose}
      title={t('Change role of {name}', { name: object.name ?? object.email ?? '' })}
    >
      <RoleForm member={object} onDone={onDone} />
    </FormDialog>
  );
}

function RoleForm({ member, onDone }: { member: Member; onDone: () => void }) {
  const form = useCallForm({ role: member.role }, (values) => updateMember(member.id, values), onDone);
  return (
    <FormBody form={form} submit={t('Change role')} disabled={form.values.role === member.role}>
      <RolePicker
        value={form.values.role}
        onChange={(role) => form.set('role', role)}
        error={form.error('role')}
      />
    </FormBody>
  );
}
