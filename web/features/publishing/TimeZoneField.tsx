import { TextInput } from '@mantine/core';
import { useId } from 'react';
import { t } from '../../copy/text.ts';

interface TimeZoneFieldProps {
  value: string;
  onChange: (zone: string) => void;
  error: string | undefined;
}

const ZONES = Intl.supportedValuesOf('timeZone');

/** Selects an IANA time zone from those the browser supports. */
export function TimeZoneField({ value, onChange, error }: TimeZoneFieldProps) {
  const id = useId();
  return (
    <>
      <TextInput
        label={t('Time zone')}
        list={id}
        required
        withAsterisk={false}
        spellCheck={false}
        maxLength={64}
        miw={170}
        flex={1}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        error={error}
      />
      <datalist id={id}>
        {ZONES.map((zone) => (
          <option key={zone}>{zone}</option>
        ))}
      </datalist>
    </>
  );
}
