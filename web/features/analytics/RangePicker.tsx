/** Selects the date range, the time zone and the comparison with the previous period. */
import { Group, SegmentedControl, Switch, TextInput } from '@mantine/core';
import { Suspense } from 'react';
import { t } from '../../copy/text.ts';
import { ownZone } from '../../design/own-zone.ts';
import { DateRange } from '../../patterns/activity/DateRange.tsx';
import { lazily } from '../../patterns/lazily.ts';
import { type AnalyticsSearch, type Change, dateIn, daysBefore, DEFAULT_RANGE } from './analytics-search.ts';
import { RANGES, type RangeName } from './analytics-params.ts';
import classes from './analytics.module.css';

const TimeZoneSelect = lazily(() => import('../../design/TimeZoneSelect.tsx'), 'TimeZoneSelect');

const LABELS: Record<RangeName, string> = {
  '24h': t('24 hours'),
  '7d': t('7 days'),
  '30d': t('30 days'),
  '90d': t('90 days'),
  custom: t('Custom'),
};

interface RangePickerProps {
  search: AnalyticsSearch;
  go: (change: Change<AnalyticsSearch>) => void;
}

export function RangePicker({ search, go }: RangePickerProps) {
  const { range = DEFAULT_RANGE, from = '', to = '' } = search;
  const pick = (name: RangeName) => {
    if (name !== 'custom')
      return go({ range: name === DEFAULT_RANGE ? undefined : name, from: undefined, to: undefined });
    const today = dateIn(search.tz ?? ownZone(), Date.now());
    return go({ range: name, from: daysBefore(today, 13), to: today });
  };
  return (
    <Group gap="sm" className={classes.picker}>
      <SegmentedControl
        size="xs"
        aria-label={t('Range')}
        className={classes.ranges}
        data={RANGES.map((value) => ({ value, label: LABELS[value] }))}
        value={range}
        onChange={(value) => pick(RANGES.find((name) => name === value) ?? DEFAULT_RANGE)}
      />
      {range === 'custom' && <DateRange from={from} to={to} onChange={go} />}
      <Suspense
        fallback={<TextInput size="xs" aria-label={t('Time zone')} className={classes.zone} disabled />}
      >
        <TimeZoneSelect
          size="xs"
          aria-label={t('Time zone')}
          className={classes.zone}
          value={search.tz ?? ownZone()}
          onChange={(zone) => go({ tz: zone === ownZone() ? undefined : zone })}
        />
      </Suspense>
      <Switch
        size="xs"
        label={t('Compare to previous period')}
        checked={search.compare ?? false}
        onChange={({ currentTarget }) => go({ compare: currentTarget.checked || undefined })}
      />
    </Group>
  );
}
