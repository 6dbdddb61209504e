/** Selects the date range of the usage page, in UTC days. */
import { Group, SegmentedControl } from '@mantine/core';
import { t } from '../../copy/text.ts';
import { useFromClock } from '../../design/time.ts';
import { DateRange } from '../../patterns/activity/DateRange.tsx';
import { daysFrom, RANGES, type RangeName, type UsageSearch, utcDay } from './usage-search.ts';
import classes from './model-usage.module.css';

const LABELS: Record<RangeName, string> = {
  '7d': t('7 days'),
  '30d': t('30 days'),
  '90d': t('90 days'),
  custom: t('Custom'),
};

interface RangePickerProps {
  search: UsageSearch;
  go: (change: {
    range?: UsageSearch['range'] | undefined;
    from?: string | undefined;
    to?: string | undefined;
  }) => void;
}

export function RangePicker({ search, go }: RangePickerProps) {
  const today = useFromClock(utcDay);
  const { range = '30d', from = daysFrom(today, -29), to = today } = search;
  return (
    <Group gap="sm" className={classes.picker}>
      <SegmentedControl
        size="xs"
        aria-label={t('Range')}
        data={RANGES.map((value) => ({ value, label: LABELS[value] }))}
        value={range}
        onChange={(value) =>
          go({
            range: value === '30d' ? undefined : value,
            from: value === 'custom' ? from : undefined,
            to: value === 'custom' ? to : undefined,
          })
        }
      />
      {range === 'custom' && <DateRange from={from} to={to} onChange={go} />}
    </Group>
  );
}
