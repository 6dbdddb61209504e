/** Selects when a key expires: after a usual number of days, never, or on a chosen date. */
import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { signUpStatusQuery } from '../../api/auth.ts';
import { t } from '../../copy/text.ts';
import { ChoiceField } from '../../patterns/form/ChoiceField.tsx';
import type { KeyForm, Lifetime } from './key-form.ts';

interface ExpiryFieldProps {
  value: KeyForm['expires_at'];
  onChange: (value: KeyForm['expires_at']) => void;
  error?: string | undefined;
  /** Whether the key may have no expiration. */
  never?: boolean;
}

const SPANS: { label: string; lifetime: Lifetime }[] = [
  { label: t('30 days'), lifetime: 30 },
  { label: t('90 days'), lifetime: 90 },
  { label: t('1 year'), lifetime: 365 },
  { label: t('Never'), lifetime: null },
  { label: t('Custom'), lifetime: 'custom' },
];

export function ExpiryField({ value, onChange, error, never = true }: ExpiryFieldProps) {
  const { data: status } = useQuery(signUpStatusQuery);
  const spans = SPANS.filter(({ lifetime }) => never || lifetime !== null);
  return (
    <ChoiceField
      label={t('Expires')}
      description={
        value.lifetime === null
          ? t("This key works until it's revoked.")
          : status &&
            (status.mail
              ? t('We email you 7 days before.')
              : t("This server can't send email, so you get no reminder."))
      }
      error={error}
      value={String(value.lifetime)}
      onChange={(chosen) => {
        const span = spans.find(({ lifetime }) => String(lifetime) === chosen);
        if (span) onChange({ ...value, lifetime: span.lifetime });
      }}
      data={spans.map(({ label, lifetime }) => ({ label, value: String(lifetime) }))}
    >
      {value.lifetime === 'custom' && (
        <TextInput
          type="date"
          size="xs"
          required
          aria-label={t('Expiration date')}
          value={value.date}
          onChange={({ currentTarget }) => onChange({ ...value, date: currentTarget.value })}
        />
      )}
    </ChoiceField>
  );
}
