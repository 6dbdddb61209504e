/** What can be chosen of a QR code. */
import {
  ColorSwatch,
  Group,
  Input,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Switch,
  TextInput,
} from '@mantine/core';
import { useId } from 'react';
import type { QrValues } from './qr-look.ts';
import classes from './qr.module.css';

interface QrFieldsProps {
  values: QrValues;
  onChange: (values: QrValues) => void;
  /** What the server said about a field. */
  faultOf: (name: string) => string | undefined;
}

const CORRECTIONS = [
  { value: 'L', label: 'L 7%' },
  { value: 'M', label: 'M 15%' },
  { value: 'Q', label: 'Q 25%' },
  { value: 'H', label: 'H 30%' },
] as const;

export function QrFields({ values, onChange, faultOf }: QrFieldsProps) {
  const set = (change: Partial<QrValues>) => onChange({ ...values, ...change });
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        <ColorField
          label="Color"
          value={values.color}
          onChange={(color) => set({ color })}
          error={faultOf('color')}
        />
        <Stack gap={8}>
          <ColorField
            label="Background"
            value={values.background}
            disabled={values.transparent}
            onChange={(background) => set({ background })}
            error={faultOf('background')}
          />
          <Switch
            size="xs"
            label="Transparent"
            checked={values.transparent}
            onChange={({ currentTarget }) => set({ transparent: currentTarget.checked })}
          />
        </Stack>
        <TextInput
          type="number"
          inputMode="numeric"
          label="Size"
          description="Pixels a side"
          min={64}
          max={4096}
          value={values.size}
          onChange={({ currentTarget }) => set({ size: currentTarget.value })}
          error={faultOf('size')}
        />
        <TextInput
          type="number"
          inputMode="numeric"
          label="Margin"
          description="Empty modules on each side"
          min={0}
          max={16}
          value={values.margin}
          onChange={({ currentTarget }) => set({ margin: currentTarget.value })}
          error={faultOf('margin')}
        />
      </SimpleGrid>
      <Input.Wrapper
        label="Error correction"
        description="How much of it may be dirty or covered"
        error={faultOf('error_correction')}
        labelElement="div"
      >
        <SegmentedControl
          aria-label="Error correction"
          size="xs"
          data={[...CORRECTIONS]}
          value={values.error_correction}
          onChange={(correction) => set({ error_correction: correction })}
        />
      </Input.Wrapper>
    </Stack>
  );
}

interface ColorFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  error: string | undefined;
  disabled?: boolean;
}

const HEX = /^#[0-9a-f]{6}$/i;

/** Written, or picked by what the browser has for it. */
function ColorField({ label, value, onChange, error, disabled = false }: ColorFieldProps) {
  const id = useId();
  return (
    <TextInput
      id={id}
      label={label}
      value={value}
      disabled={disabled}
      maxLength={7}
      spellCheck={false}
      error={error}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      leftSection={
        <Group className={classes.pick} gap={0}>
          <ColorSwatch color={HEX.test(value) ? value : 'transparent'} size={18} radius={4} />
          <input
            type="color"
            aria-label={`Pick the ${label.toLowerCase()}`}
            value={HEX.test(value) ? value : '#000000'}
            disabled={disabled}
            onChange={({ currentTarget }) => onChange(currentTarget.value)}
          />
        </Group>
      }
      leftSectionPointerEvents="all"
    />
  );
}
