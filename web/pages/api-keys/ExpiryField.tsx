/** How long a key lives: usual spans, never, or until a day of one's own. */
import { Group, Input, SegmentedControl, TextInput } from '@mantine/core';
import type { KeyForm, Lifetime } from './key-form.ts';

interface ExpiryFieldProps {
  value: KeyForm['expires_at'];
  onChange: (value: KeyForm['expires_at']) => void;
  error?: string | undefined;
  /** Whether a key without an end may be made. */
  never?: boolean;
}

const SPANS: { label: string; lifetime: Lifetime }[] = [
  { label: '30 days', lifetime: 30 },
  { label: '90 days', lifetime: 90 },
  { label: '1 year', lifetime: 365 },
  { label: 'Never', lifetime: null },
  { label: 'Custom', lifetime: 'custom' },
];

export function ExpiryField({ value, onChange, error, never = true }: ExpiryFieldProps) {
  const spans = SPANS.filter(({ lifetime }) => never || lifetime !== null);
  return (
    <Input.Wrapper
      label="Expires"
      labelElement="div"
      description={
        value.lifetime === null
          ? 'A key that never expires works until somebody revokes it.'
          : 'A reminder is mailed 7 days before, where the server sends mail.'
      }
      error={error}
    >
      <Group gap="xs" mt={6}>
        <SegmentedControl
          size="xs"
          aria-label="Lifetime"
          value={String(value.lifetime)}
          onChange={(chosen) => {
            const span = spans.find(({ lifetime }) => String(lifetime) === chosen);
            if (span) onChange({ ...value, lifetime: span.lifetime });
          }}
          data={spans.map(({ label, lifetime }) => ({ label, value: String(lifetime) }))}
        />
        {value.lifetime === 'custom' && (
          <TextInput
            type="date"
            size="xs"
            required
            aria-label="Last day"
            value={value.date}
            onChange={({ currentTarget }) => onChange({ ...value, date: currentTarget.value })}
          />
        )}
      </Group>
    </Input.Wrapper>
  );
}
