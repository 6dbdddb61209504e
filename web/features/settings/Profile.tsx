/** The user's name and password, which are the same in all workspaces. */
import { Button, Group, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { t } from '../../copy/text.ts';
import { auth, sessionQuery } from '../../api/auth.ts';
import { useWorkspace } from '../../api/workspace-context.ts';
import { notifyDone } from '../../design/notify.ts';
import { ProblemAlert } from '../../patterns/ProblemAlert.tsx';
import { useApiForm } from '../../patterns/form/use-api-form.ts';
import { Section } from './Section.tsx';

export function Profile() {
  return (
    <>
      <NameForm />
      <PasswordForm />
    </>
  );
}

function NameForm() {
  const { user } = useWorkspace();
  const queryClient = useQueryClient();
  const router = useRouter();
  const form = useApiForm({ name: user.name }, auth.updateUser, async () => {
    await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 });
    await router.invalidate();
    notifyDone(t('Changes saved'));
  });
  return (
    <Section title={t('Profile')}>
      <form onSubmit={form.submit}>
        <Stack>
          <TextInput
            label={t('Email')}
            value={user.email}
            description={t("You sign in with this address. It can't be changed.")}
            readOnly
            disabled
          />
          <TextInput label={t('Name')} required maxLength={100} {...form.text('name')} />
          {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
          <Group>
            <Button type="submit" loading={form.pending} disabled={form.values.name === user.name}>
              {t('Save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}

function PasswordForm() {
  const { user } = useWorkspace();
  const form = useApiForm(
    { current_password: '', new_password: '' },
    auth.changePassword,
    (_answer, _sent, { reset }) => {
      reset();
      notifyDone(t('Password changed. Your other sessions were signed out.'));
    },
  );
  return (
    <Section title={t('Password')} description={t('Changing your password signs you out on other devices.')}>
      <form onSubmit={form.submit}>
        <Stack>
          {/* Identifies the account of the password for password managers. */}
          <input type="email" autoComplete="username" value={user.email} readOnly hidden />
          <PasswordInput
            label={t('Current password')}
            autoComplete="current-password"
            required
            {...form.text('current_password')}
          />
          <PasswordInput
            label={t('New password')}
            description={t('At least 8 characters.')}
            autoComplete="new-password"
            minLength={8}
            required
            {...form.text('new_password')}
          />
          {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
          <Group>
            <Button type="submit" loading={form.pending}>
              {t('Change password')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}
