import { Button, PasswordInput, Stack, Text } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { auth } from '../../api/auth.ts';
import { AuthPage } from '../../shell/AuthPage.tsx';
import { notifyDone } from '../../ui/notify.ts';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { useForm } from '../../ui/use-form.ts';
import { TextLink } from '../../ui/links.tsx';

const route = getRouteApi('/reset-password');

export function ResetPassword() {
  const { token } = route.useSearch();
  const navigate = useNavigate();
  const form = useForm(
    { new_password: '' },
    ({ new_password }) => auth.resetPassword({ new_password, token: token ?? '' }),
    () => {
      notifyDone('Your new password is set. Sign in with it.');
      void navigate({ to: '/sign-in' });
    },
  );
  if (!token) {
    return (
      <AuthPage title="This link does not work">
        <Text>
          It was used, or it has expired. <TextLink to="/forgot-password">Ask for a new one</TextLink>.
        </Text>
      </AuthPage>
    );
  }
  return (
    <AuthPage title="Set a new password">
      <form onSubmit={form.submit}>
        <Stack>
          {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
          <PasswordInput
            label="New password"
            description="At least 8 characters."
            autoComplete="new-password"
            minLength={8}
            required
            withAsterisk={false}
            autoFocus
            {...form.text('new_password')}
          />
          <Button type="submit" loading={form.pending} fullWidth>
            Set password
          </Button>
        </Stack>
      </form>
    </AuthPage>
  );
}
