import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { rich, t } from '../../copy/text.ts';
import { auth, signUpStatusQuery } from '../../api/auth.ts';
import { AuthPage } from './AuthPage.tsx';
import { ProblemAlert } from '../../patterns/ProblemAlert.tsx';
import { useApiForm } from '../../patterns/form/use-api-form.ts';
import { useEnter } from './use-enter.ts';
import { TextLink } from '../../design/links.tsx';

const route = getRouteApi('/sign-in');

export function SignIn() {
  const { next } = route.useSearch();
  const enter = useEnter(next);
  const { data: status } = useQuery(signUpStatusQuery);
  const form = useApiForm({ email: '', password: '' }, auth.signIn, enter);
  const open = status?.sign_up === 'open' || status?.sign_up === 'first';
  return (
    <AuthPage
      title={t('Sign in')}
      foot={
        open &&
        rich('No account yet? <a>Sign up</a>', {
          a: (words) => (
            <TextLink to="/sign-up" search={{ next }}>
              {words}
            </TextLink>
          ),
        })
      }
    >
      <form onSubmit={form.submit}>
        <Stack>
          {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
          <TextInput
            label={t('Email')}
            type="email"
            name="email"
            autoComplete="username"
            required
            autoFocus
            {...form.text('email')}
          />
          <PasswordInput
            label={t('Password')}
            name="password"
            autoComplete="current-password"
            required
            {...form.text('password')}
          />
          <Button type="submit" loading={form.pending} fullWidth>
            {t('Sign in')}
          </Button>
          <TextLink to="/forgot-password" ta="center">
            {t('Forgot your password?')}
          </TextLink>
        </Stack>
      </form>
    </AuthPage>
  );
}
