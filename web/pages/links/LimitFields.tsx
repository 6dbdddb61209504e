/** When and for how many a link leads somewhere. */
import { Button, Group, Stack, TextInput } from '@mantine/core';
import type { Form } from '../../ui/use-form.ts';
import { exactTime } from '../../ui/time.ts';
import { exactOf, localTime, type LinkForm } from './link-form.ts';

const DAY_MS = 86_400_000;
const SPANS = [
  { label: 'In a day', days: 1 },
  { label: 'In a week', days: 7 },
  { label: 'In 30 days', days: 30 },
];

interface ExpiryFieldProps {
  /** As a field for date and time has it. */
  value: string;
  onChange: (value: string) => void;
  error?: string | undefined;
}

export function ExpiryField({ value, onChange, error }: ExpiryFieldProps) {
  const at = exactOf(value);
  return (
    <div>
      <TextInput
        type="datetime-local"
        label="Expires"
        description={at === null ? 'Never, until you say when' : exactTime(at)}
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
            onClick={() => onChange(localTime(new Date(Date.now() + days * DAY_MS).toISOString()))}
          >
            {label}
          </Button>
        ))}
        {value !== '' && (
          <Button size="compact-xs" variant="subtle" onClick={() => onChange('')}>
            Never
          </Button>
        )}
      </Group>
    </div>
  );
}

export function LimitFields({ form }: { form: Form<LinkForm> }) {
  return (
    <Stack gap="sm">
      <ExpiryField
        value={form.values.expires_at}
        onChange={(value) => form.set('expires_at', value)}
        error={form.error('expires_at')}
      />
      <TextInput
        type="number"
        inputMode="numeric"
        min={1}
        step={1}
        maw={260}
        label="Most clicks"
        description="So many people are sent on, never more. Bots and previews use none up."
        placeholder="no limit"
        {...form.text('max_clicks')}
      />
      <TextInput
        label="Afterwards"
        description="Where visitors go once it is expired or used up, instead of a page that says so"
        placeholder="https://"
        spellCheck={false}
        {...form.text('expired_url')}
      />
    </Stack>
  );
}
