import { Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { rich, t } from '../../copy/text.ts';
import { signUpStatusQuery } from '../../api/auth.ts';
import { AuthPage } from './AuthPage.tsx';
import { useEnter } from './use-enter.ts';
import { SignUpForm } from './SignUpForm.tsx';
import { TextLink } from '../../design/links.tsx';

const route = getRouteApi('/sign-up');

export function SignUp() {
  const { next } = route.useSearch();
  const enter = useEnter(next);
  const { data: status } = useSuspenseQuery(signUpStatusQuery);
  const foot = rich('Already have an account? <a>Sign in</a>', {
    a: (words) => (
      <TextLink to="/sign-in" search={{ next }}>
        {words}
      </TextLink>
    ),
  });
  if (status.sign_up === 'invite') {
    return (
      <AuthPage title={t('Invitation required')} foot={foot}>
        <Text>
          {t(
            'You need an invitation to create an account on this server. Ask a workspace member to invite you.',
          )}
        </Text>
      </AuthPage>
    );
  }
  return (
    <AuthPage
      title={status.sign_up === 'first' ? t('Welcome to Fairlead') : t('Create your account')}
      description={
        status.sign_up === 'first'
          ? t('Create the first account on this server. Others join by invitation.')
          : undefined
      }
      foot={status.sign_up === 'first' ? undefined : foot}
    >
      <SignUpForm setupTokenRequired={status.setup_token_required} onDone={enter} />
    </AuthPage>
  );
}
