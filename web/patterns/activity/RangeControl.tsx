/** Selects the range of a page. The default is not in the address. */
import { SegmentedControl } from '@mantine/core';
import { t } from '../../copy/text.ts';
import { DEFAULT_RANGE, RANGES, type RangeName, getRange } from './activity-range.ts';

interface RangeControlProps {
  value: RangeName | undefined;
  /** Called with the new value of the search parameter. */
  onChange: (range: RangeName | undefined) => void;
}

export function RangeControl({ value, onChange }: RangeControlProps) {
  return (
    <SegmentedControl
      size="xs"
      aria-label={t('Range')}
      data={RANGES.map(({ name, label }) => ({ value: name, label }))}
      value={getRange(value).name}
      onChange={(chosen) => {
        const name = RANGES.find((one) => one.name === chosen)?.name;
        onChange(name === DEFAULT_RANGE ? undefined : name);
      }}
    />
  );
}
