/** What visitors must type. What a link has is stored as a hash: it can be taken away or replaced, never shown. */
import { PasswordInput, SegmentedControl, Stack, Text } from '@mantine/core';
import type { Form } from '../../ui/use-form.ts';
import type { LinkForm } from './link-form.ts';

interface PasswordFieldProps {
  form: Form<LinkForm>;
  /** Whether the link has one. */
  has: boolean;
}

type Choice = LinkForm['password']['choice'];

export function PasswordField({ form, has }: PasswordFieldProps) {
  const { choice, text } = form.values.password;
  const choices: { value: Choice; label: string }[] = has
    ? [
        { value: 'keep', label: 'As it is' },
        { value: 'set', label: 'Another' },
        { value: 'none', label: 'None' },
      ]
    : [
        { value: 'none', label: 'None' },
        { value: 'set', label: 'Ask for one' },
      ];
  return (
    <Stack gap="xs" align="flex-start">
      <SegmentedControl
        size="xs"
        aria-label="Password"
        data={choices}
        value={choice}
        onChange={(chosen) => form.set('password', { choice: chosen, text: '' })}
      />
      {choice === 'set' && (
        <PasswordInput
          w="100%"
          maw={320}
          label={has ? 'New password' : 'Password'}
          autoComplete="new-password"
          required
          withAsterisk={false}
          maxLength={200}
          value={text}
          onChange={({ currentTarget }) => form.set('password', { choice, text: currentTarget.value })}
          error={form.error('password')}
        />
      )}
      <Text size="xs" c="dimmed">
        {choice === 'none'
          ? 'Whoever has the address gets to the target.'
          : 'Previews, cards and QR codes don’t show the target. Nobody can read the password again.'}
      </Text>
    </Stack>
  );
}
