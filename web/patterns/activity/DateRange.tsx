/** The first and the last date of a range. A date beyond the other one moves it. */
import { Group, TextInput } from '@mantine/core';
import { t } from '../../copy/text.ts';

interface DateRangeProps {
  from: string;
  to: string;
  onChange: (range: { from: string; to: string }) => void;
}

export function DateRange({ from, to, onChange }: DateRangeProps) {
  // Ignores an emptied field, since a range needs both dates.
  const change = (value: string, range: { from: string; to: string }) => value !== '' && onChange(range);
  return (
    <Group gap={6} wrap="nowrap">
      <TextInput
        size="xs"
        type="date"
        aria-label={t('Start date')}
        value={from}
        max={to}
        onChange={({ currentTarget: { value } }) =>
          change(value, { from: value, to: value > to ? value : to })
        }
      />
      <span aria-hidden>–</span>
      <TextInput
        size="xs"
        type="date"
        aria-label={t('End date')}
        value={to}
        min={from}
        onChange={({ currentTarget: { value } }) =>
          change(value, { from: value < from ? value : from, to: value })
        }
      />
    </Group>
  );
}
