import { Select, type SelectProps } from '@mantine/core';
import { t } from '../copy/text.ts';
import { ownZone } from './own-zone.ts';

interface TimeZoneSelectProps extends Omit<SelectProps, 'data' | 'value' | 'onChange'> {
  /** Name of an IANA time zone. */
  value: string;
  onChange: (zone: string) => void;
}

const OTHERS = new Set(['UTC', ...Intl.supportedValuesOf('timeZone')]);
OTHERS.delete(ownZone());

const toOption = (value: string) => ({ value, label: value.replaceAll('_', ' ') });
const OPTIONS = [
  { value: ownZone(), label: t('{zone} (your time zone)', { zone: toOption(ownZone()).label }) },
  ...[...OTHERS].map(toOption),
];

/** Selects an IANA time zone by search, from those the browser supports. */
export function TimeZoneSelect({ value, onChange, ...field }: TimeZoneSelectProps) {
  return (
    <Select
      {...field}
      searchable
      allowDeselect={false}
      nothingFoundMessage={t('No results')}
      data={OPTIONS.some((one) => one.value === value) ? OPTIONS : [toOption(value), ...OPTIONS]}
      value={value}
      onChange={(zone) => zone !== null && onChange(zone)}
    />
  );
}
