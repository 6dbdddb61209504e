import { TextInput } from '@mantine/core';

interface CountFieldProps {
  label: string;
  value: number;
  onChange: (value: number) => void;
  error?: string | undefined;
  maw?: number;
}

/** A whole number above zero. */
export function CountField({ value, onChange, ...others }: CountFieldProps) {
  return (
    <TextInput
      type="number"
      inputMode="numeric"
      min={1}
      max={1_000_000}
      step={1}
      required
      withAsterisk={false}
      value={Number.isNaN(value) ? '' : value}
      onChange={({ currentTarget }) => onChange(currentTarget.valueAsNumber)}
      {...others}
    />
  );
}
