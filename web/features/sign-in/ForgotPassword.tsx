import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { rich, t } from '../../copy/text.ts';
import { auth, signUpStatusQuery } from '../../api/auth.ts';
import { AuthPage } from './AuthPage.tsx';
import { CodeBlock } from '../../design/CodeBlock.tsx';
import { ProblemAlert } from '../../patterns/ProblemAlert.tsx';
import { useApiForm } from '../../patterns/form/use-api-form.ts';
import { TextLink } from '../../design/links.tsx';

const back = <TextLink to="/sign-in">{t('Back to sign-in')}</TextLink>;

export function ForgotPassword() {
  const { data: status } = useSuspenseQuery(signUpStatusQuery);
  const [sentTo, setSentTo] = useState<string | null>(null);
  const form = useApiForm({ email: '' }, auth.requestPasswordReset, (_answer, { email }) => setSentTo(email));
  if (!status.mail) {
    return (
      <AuthPage title={t('Forgot your password?')} foot={back}>
        <Stack>
          <Text>
            {t(
              "This server can't send email. Ask its administrator to set a new password by running this command on the server:",
            )}
          </Text>
          <CodeBlock text={t('fairlead admin reset-password you@example.com')} />
        </Stack>
      </AuthPage>
    );
  }
  if (sentTo !== null) {
    return (
      <AuthPage title={t('Check your email')} foot={back}>
        <Text>
          {rich(
            'If there is an account for <email>{email}</email>, we sent it a link to reset the password.',
            { email: (words) => <strong>{words}</strong> },
            { email: sentTo },
          )}
        </Text>
      </AuthPage>
    );
  }
  return (
    <AuthPage
      title={t('Forgot your password?')}
      description={t("We'll email you a link to reset your password.")}
      foot={back}
    >
      <form onSubmit={form.submit}>
        <Stack>
          {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
          <TextInput
            label={t('Email')}
            type="email"
            autoComplete="username"
            required
            autoFocus
            {...form.text('email')}
          />
          <Button type="submit" loading={form.pending} fullWidth>
            {t('Send reset link')}
          </Button>
        </Stack>
      </form>
    </AuthPage>
  );
}
