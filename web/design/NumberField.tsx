/** A number, as text while it is typed: whole and not negative unless said otherwise. The server checks its bounds. */
import { NumberInput, type NumberInputProps } from '@mantine/core';

interface NumberFieldProps extends Omit<NumberInputProps, 'value' | 'onChange'> {
  value: number | string | null;
  /** @param text empty for no number */
  onChange: (text: string) => void;
}

export function NumberField({ value, onChange, ...others }: NumberFieldProps) {
  return (
    <NumberInput
      allowDecimal={false}
      allowNegative={false}
      clampBehavior="none"
      value={value === null || Number.isNaN(value) ? '' : value}
      onChange={(next) => onChange(String(next))}
      // Mantine inserts a number with separators into the field itself, and reports it with a `change`.
      onPaste={({ defaultPrevented, currentTarget }) => {
        if (defaultPrevented) currentTarget.dispatchEvent(new Event('input', { bubbles: true }));
      }}
      {...others}
    />
  );
}
