import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { auth, signUpStatusQuery } from '../../api/auth.ts';
import { AuthPage } from '../../shell/AuthPage.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { useForm } from '../../ui/use-form.ts';
import { useEnter } from './use-enter.ts';
import { TextLink } from '../../ui/links.tsx';

const route = getRouteApi('/sign-in');

export function SignIn() {
  const { next } = route.useSearch();
  const enter = useEnter(next);
  const { data: status } = useQuery(signUpStatusQuery);
  const form = useForm({ email: '', password: '' }, auth.signIn, enter);
  const open = status?.sign_up === 'open' || status?.sign_up === 'first';
  return (
    <AuthPage
      title="Sign in"
      foot={
        open && (
          <>
            No account yet?{' '}
            <TextLink to="/sign-up" search={{ next }}>
              Sign up
            </TextLink>
          </>
        )
      }
    >
      <form onSubmit={form.submit}>
        <Stack>
          {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
          <TextInput
            label="Email"
            type="email"
            name="email"
            autoComplete="username"
            required
            withAsterisk={false}
            autoFocus
            {...form.text('email')}
          />
          <PasswordInput
            label="Password"
            name="password"
            autoComplete="current-password"
            required
            withAsterisk={false}
            {...form.text('password')}
          />
          <Button type="submit" loading={form.pending} fullWidth>
            Sign in
          </Button>
          <TextLink to="/forgot-password" ta="center">
            Forgot your password?
          </TextLink>
        </Stack>
      </form>
    </AuthPage>
  );
}
