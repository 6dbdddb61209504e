import { Button, PasswordInput, Stack, Text } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { rich, t } from '../../copy/text.ts';
import { auth } from '../../api/auth.ts';
import { AuthPage } from './AuthPage.tsx';
import { notifyDone } from '../../design/notify.ts';
import { ProblemAlert } from '../../patterns/ProblemAlert.tsx';
import { useApiForm } from '../../patterns/form/use-api-form.ts';
import { TextLink } from '../../design/links.tsx';

const route = getRouteApi('/reset-password');

export function ResetPassword() {
  const { token } = route.useSearch();
  const navigate = useNavigate();
  const form = useApiForm(
    { new_password: '' },
    ({ new_password }) => auth.resetPassword({ new_password, token: token ?? '' }),
    () => {
      notifyDone(t('Password reset. Sign in with your new password.'));
      void navigate({ to: '/sign-in' });
    },
  );
  if (!token) {
    return (
      <AuthPage title={t("This reset link doesn't work")}>
        <Text>
          {rich('It was already used or has expired. <a>Request a new link</a>.', {
            a: (words) => <TextLink to="/forgot-password">{words}</TextLink>,
          })}
        </Text>
      </AuthPage>
    );
  }
  return (
    <AuthPage title={t('Reset password')}>
      <form onSubmit={form.submit}>
        <Stack>
          {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
          <PasswordInput
            label={t('New password')}
            description={t('At least 8 characters.')}
            autoComplete="new-password"
            minLength={8}
            required
            autoFocus
            {...form.text('new_password')}
          />
          <Button type="submit" loading={form.pending} fullWidth>
            {t('Reset password')}
          </Button>
        </Stack>
      </form>
    </AuthPage>
  );
}
