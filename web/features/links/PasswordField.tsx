/** The password of a link. It's stored as a hash, so it can be removed or replaced but never shown. */
import { PasswordInput, SegmentedControl, Stack, Text } from '@mantine/core';
import { t } from '../../copy/text.ts';
import type { ApiForm } from '../../patterns/form/use-api-form.ts';
import type { LinkForm } from './link-form.ts';

interface PasswordFieldProps {
  form: ApiForm<LinkForm>;
  /** Whether the link has a password. */
  has: boolean;
}

type Choice = LinkForm['password']['choice'];

export function PasswordField({ form, has }: PasswordFieldProps) {
  const { choice, text } = form.values.password;
  const choices: { value: Choice; label: string }[] = has
    ? [
        { value: 'keep', label: t('Keep') },
        { value: 'set', label: t('Change') },
        { value: 'none', label: t('None') },
      ]
    : [
        { value: 'none', label: t('None') },
        { value: 'set', label: t('Require') },
      ];
  return (
    <Stack gap="xs" align="flex-start">
      <SegmentedControl
        size="xs"
        aria-label={t('Password')}
        data={choices}
        value={choice}
        onChange={(chosen) => form.set('password', { choice: chosen, text: '' })}
      />
      {choice === 'set' && (
        <PasswordInput
          w="100%"
          maw={320}
          label={has ? t('New password') : t('Password')}
          autoComplete="new-password"
          required
          maxLength={200}
          value={text}
          onChange={({ currentTarget }) => form.set('password', { choice, text: currentTarget.value })}
          error={form.error('password')}
        />
      )}
      <Text size="xs" c="dimmed">
        {choice === 'none'
          ? t('Anyone with the link can open it.')
          : t("Previews and QR codes don't reveal the destination. The password can't be viewed later.")}
      </Text>
    </Stack>
  );
}
