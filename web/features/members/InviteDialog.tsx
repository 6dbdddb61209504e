/** Creates an invitation. The caller shows its link once. */
import { Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { FormBody, FormDialog } from '../../patterns/form/form-frame.tsx';
import { t } from '../../copy/text.ts';
import { signUpStatusQuery } from '../../api/auth.ts';
import { createInvitation } from '../../api/members.ts';
import type { Invitation, Role } from '../../api/types.ts';
import { useCallForm } from '../../patterns/form/use-api-form.ts';
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
    <FormDialog opened={opened} onClose={onClose} title={t('Invite member')}>
      <InviteForm onDone={onDone} />
    </FormDialog>
  );
}

function InviteForm({ onDone }: Pick<InviteDialogProps, 'onDone'>) {
  const { data: status } = useQuery(signUpStatusQuery);
  const form = useCallForm<NewInvitation, Invitation>(
    { email: '', role: 'developer' },
    createInvitation,
    onDone,
  );
  return (
    <FormBody form={form} submit={t('Invite member')}>
      <TextInput
        label={t('Email')}
        type="email"
        description={t('The invitation works once, for this address, for 7 days.')}
        required
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
            ? t('We email the invitation link. You can also copy it once.')
            : t("This server can't send email. Copy the invitation link and send it yourself.")}
        </Text>
      )}
    </FormBody>
  );
}
