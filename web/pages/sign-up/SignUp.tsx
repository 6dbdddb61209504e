import { Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { signUpStatusQuery } from '../../api/auth.ts';
import { AuthPage } from '../../shell/AuthPage.tsx';
import { useEnter } from '../sign-in/use-enter.ts';
import { SignUpForm } from './SignUpForm.tsx';
import { TextLink } from '../../ui/links.tsx';

const route = getRouteApi('/sign-up');

export function SignUp() {
  const { next } = route.useSearch();
  const enter = useEnter(next);
  const { data: status } = useSuspenseQuery(signUpStatusQuery);
  const foot = (
    <>
      Have an account?{' '}
      <TextLink to="/sign-in" search={{ next }}>
        Sign in
      </TextLink>
    </>
  );
  if (status.sign_up === 'invite') {
    return (
      <AuthPage title="By invitation" foot={foot}>
        <Text>
          This server takes new accounts by invitation only. Ask a member of your workspace to invite you, and
          open the link that you get.
        </Text>
      </AuthPage>
    );
  }
  return (
    <AuthPage
      title={status.sign_up === 'first' ? 'Welcome to Fairlead' : 'Create your account'}
      description={
        status.sign_up === 'first'
          ? 'This server is new. Create its first account; others join by invitation.'
          : undefined
      }
      foot={status.sign_up === 'first' ? undefined : foot}
    >
      <SignUpForm setupTokenRequired={status.setup_token_required} onDone={enter} />
    </AuthPage>
  );
}
