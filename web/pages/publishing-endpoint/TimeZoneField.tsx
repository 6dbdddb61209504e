import { TextInput } from '@mantine/core';
import { useId } from 'react';

interface TimeZoneFieldProps {
  value: string;
  onChange: (zone: string) => void;
  error: string | undefined;
}

const ZONES = Intl.supportedValuesOf('timeZone');

/** An IANA time zone: those that the browser knows are offered. */
export function TimeZoneField({ value, onChange, error }: TimeZoneFieldProps) {
  const id = useId();
  return (
    <>
      <TextInput
        label="Time zone"
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
