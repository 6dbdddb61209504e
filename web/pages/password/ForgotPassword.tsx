import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { auth, signUpStatusQuery } from '../../api/auth.ts';
import { AuthPage } from '../../shell/AuthPage.tsx';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { useForm } from '../../ui/use-form.ts';
import { TextLink } from '../../ui/links.tsx';

const back = <TextLink to="/sign-in">Back to sign-in</TextLink>;

export function ForgotPassword() {
  const { data: status } = useSuspenseQuery(signUpStatusQuery);
  const [sentTo, setSentTo] = useState<string | null>(null);
  const form = useForm({ email: '' }, auth.requestPasswordReset, (_answer, { email }) => setSentTo(email));
  if (!status.mail) {
    return (
      <AuthPage title="Forgot your password?" foot={back}>
        <Stack>
          <Text>
            This server sends no mail. Whoever runs it can set a new password with this command, in the folder
            of the server:
          </Text>
          <CodeBlock text="fairlead admin reset-password you@example.com" wrap />
        </Stack>
      </AuthPage>
    );
  }
  if (sentTo !== null) {
    return (
      <AuthPage title="Look in your mail" foot={back}>
        <Text>
          If there is an account for <strong>{sentTo}</strong>, a link to set a new password is on its way.
        </Text>
      </AuthPage>
    );
  }
  return (
    <AuthPage title="Forgot your password?" description="We mail you a link to set a new one." foot={back}>
      <form onSubmit={form.submit}>
        <Stack>
          {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
          <TextInput
            label="Email"
            type="email"
            autoComplete="username"
            required
            withAsterisk={false}
            autoFocus
            {...form.text('email')}
          />
          <Button type="submit" loading={form.pending} fullWidth>
            Send the link
          </Button>
        </Stack>
      </form>
    </AuthPage>
  );
}
