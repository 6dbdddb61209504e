/** The user's own name and password; they belong to the person, not to the workspace. */
import { Button, Group, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { auth, sessionQuery } from '../../api/auth.ts';
import { useWorkspace } from '../../shell/workspace-context.ts';
import { notifyDone } from '../../ui/notify.ts';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { useForm } from '../../ui/use-form.ts';
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
  const form = useForm({ name: user.name }, auth.updateUser, async () => {
    await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 });
    await router.invalidate();
    notifyDone('Saved');
  });
  return (
    <Section title="Profile">
      <form onSubmit={form.submit}>
        <Stack>
          <TextInput label="Email" value={user.email} readOnly disabled />
          <TextInput label="Name" required withAsterisk={false} maxLength={100} {...form.text('name')} />
          {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
          <Group>
            <Button type="submit" loading={form.pending} disabled={form.values.name === user.name}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}

function PasswordForm() {
  const { user } = useWorkspace();
  const form = useForm(
    { current_password: '', new_password: '' },
    auth.changePassword,
    (_answer, _sent, reset) => {
      reset();
      notifyDone('Password changed. Your other sessions have ended.');
    },
  );
  return (
    <Section title="Password" description="Changing it ends your sessions on other devices.">
      <form onSubmit={form.submit}>
        <Stack>
          {/* For password managers, which look for the account that the password belongs to. */}
          <input type="email" autoComplete="username" value={user.email} readOnly hidden />
          <PasswordInput
            label="Present password"
            autoComplete="current-password"
            required
            withAsterisk={false}
            {...form.text('current_password')}
          />
          <PasswordInput
            label="New password"
            description="At least 8 characters."
            autoComplete="new-password"
            minLength={8}
            required
            withAsterisk={false}
            {...form.text('new_password')}
          />
          {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
          <Group>
            <Button type="submit" loading={form.pending}>
              Change password
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}
