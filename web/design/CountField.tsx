import { NumberField } from './NumberField.tsx';

interface CountFieldProps {
  label: string;
  /** NaN while it is empty. */
  value: number;
  onChange: (value: number) => void;
  error?: string | undefined;
  maw?: number;
}

/** A whole number above zero. */
export function CountField({ onChange, ...others }: CountFieldProps) {
  return (
    <NumberField
      min={1}
      max={1_000_000}
      required
      onChange={(text) => onChange(Number.parseInt(text, 10))}
      {...others}
    />
  );
}
