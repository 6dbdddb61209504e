/** Name, email and password of a new user; for the open page and for invitations. */
import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { auth } from '../../api/auth.ts';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { useForm } from '../../ui/use-form.ts';

const MINIMUM_PASSWORD = 8;

interface SignUpFormProps {
  /** The invited address, which can't be changed. */
  email?: string;
  invitationToken?: string;
  setupTokenRequired?: boolean;
  onDone: () => void | Promise<void>;
}

export function SignUpForm({ email, invitationToken, setupTokenRequired = false, onDone }: SignUpFormProps) {
  const form = useForm(
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
            label="Setup token"
            description="The server wrote it to its log when it started."
            required
            withAsterisk={false}
            autoComplete="off"
            spellCheck={false}
            {...form.text('setup_token')}
          />
        )}
        <TextInput
          label="Name"
          name="name"
          autoComplete="name"
          required
          withAsterisk={false}
          autoFocus={!setupTokenRequired}
          maxLength={100}
          {...form.text('name')}
        />
        <TextInput
          label="Email"
          type="email"
          name="email"
          autoComplete="username"
          required
          withAsterisk={false}
          readOnly={email !== undefined}
          {...form.text('email')}
        />
        <PasswordInput
          label="Password"
          name="password"
          description={`At least ${MINIMUM_PASSWORD} characters.`}
          autoComplete="new-password"
          minLength={MINIMUM_PASSWORD}
          required
          withAsterisk={false}
          {...form.text('password')}
        />
        <Button type="submit" loading={form.pending} fullWidth>
          Create account
        </Button>
      </Stack>
    </form>
  );
}
