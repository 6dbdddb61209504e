/** Creates an account, with or without an invitation. */
import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { t } from '../../copy/text.ts';
import { auth } from '../../api/auth.ts';
import { ProblemAlert } from '../../patterns/ProblemAlert.tsx';
import { useApiForm } from '../../patterns/form/use-api-form.ts';

const MINIMUM_PASSWORD = 8;

interface SignUpFormProps {
  /** The invited address, which can't be changed. */
  email?: string;
  invitationToken?: string;
  setupTokenRequired?: boolean;
  onDone: () => void | Promise<void>;
}

export function SignUpForm({ email, invitationToken, setupTokenRequired = false, onDone }: SignUpFormProps) {
  const form = useApiForm(
    { name: '', email: email ?? '', password: '', setup_token: '' },
    ({ setup_token, ...fields }) =>
      auth.signUp({
        ...fields,
        ...(setupTokenRequired && { setup_token: setup_token.trim() }),
        ...(invitationToken !== undefined && { invitation_token: invitationToken }),
      }),
    () => void onDone(),
  );
  return (
    <form onSubmit={form.submit}>
      <Stack>
        {form.problem !== null && <ProblemAlert error={form.problem} faults={form.rest} />}
        {setupTokenRequired && (
          <TextInput
            label={t('Setup token')}
            description={t("Find it in the server's startup log.")}
            required
            autoComplete="off"
            spellCheck={false}
            {...form.text('setup_token')}
          />
        )}
        <TextInput
          label={t('Name')}
          name="name"
          autoComplete="name"
          required
          autoFocus={!setupTokenRequired}
          maxLength={100}
          {...form.text('name')}
        />
        <TextInput
          label={t('Email')}
          type="email"
          name="email"
          autoComplete="username"
          required
          readOnly={email !== undefined}
          {...form.text('email')}
        />
        <PasswordInput
          label={t('Password')}
          name="password"
          description={t('At least {MINIMUM_PASSWORD} characters.', { MINIMUM_PASSWORD })}
          autoComplete="new-password"
          minLength={MINIMUM_PASSWORD}
          required
          {...form.text('password')}
        />
        <Button type="submit" loading={form.pending} fullWidth>
          {t('Create account')}
        </Button>
      </Stack>
    </form>
  );
}
