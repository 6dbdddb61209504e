/** Expiration and click limit of a link. */
import { localTime } from '../../design/time.ts';
import { Button, Group, Stack, TextInput } from '@mantine/core';
import { NumberField } from '../../design/NumberField.tsx';
import { t } from '../../copy/text.ts';
import type { ApiForm } from '../../patterns/form/use-api-form.ts';
import { exactTime } from '../../design/time.ts';
import { getExact, type LinkForm } from './link-form.ts';

const DAY_MS = 86_400_000;
const SPANS = [
  { label: t('In 1 day'), days: 1 },
  { label: t('In 7 days'), days: 7 },
  { label: t('In 30 days'), days: 30 },
];

interface ExpiryFieldProps {
  /** The value of a `datetime-local` input. */
  value: string;
  onChange: (value: string) => void;
  error?: string | undefined;
}

export function ExpiryField({ value, onChange, error }: ExpiryFieldProps) {
  const at = getExact(value);
  return (
    <div>
      <TextInput
        type="datetime-local"
        label={t('Expires')}
        description={at === null ? t('Leave blank to never expire.') : exactTime(at)}
        maw={260}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        error={error}
      />
      <Group gap={6} mt={6}>
        {SPANS.map(({ label, days }) => (
          <Button
            key={label}
            size="compact-xs"
            variant="default"
            onClick={() => onChange(localTime(Date.now() + days * DAY_MS))}
          >
            {label}
          </Button>
        ))}
        {value !== '' && (
          <Button size="compact-xs" variant="subtle" onClick={() => onChange('')}>
            {t('Never')}
          </Button>
        )}
      </Group>
    </div>
  );
}

export function LimitFields({ form }: { form: ApiForm<LinkForm> }) {
  return (
    <Stack gap="sm">
      <ExpiryField
        value={form.values.expires_at}
        onChange={(value) => form.set('expires_at', value)}
        error={form.error('expires_at')}
      />
      <NumberField
        min={1}
        maw={260}
        label={t('Click limit')}
        description={t("Stop redirecting after this many clicks. Bots and previews don't count.")}
        placeholder={t('Unlimited')}
        value={form.values.max_clicks}
        onChange={(text) => form.set('max_clicks', text)}
        error={form.error('max_clicks')}
      />
      <TextInput
        label={t('Expiration URL')}
        description={t('Where to send visitors after the link expires or reaches its limit.')}
        placeholder="https://"
        spellCheck={false}
        {...form.text('expired_url')}
      />
    </Stack>
  );
}
