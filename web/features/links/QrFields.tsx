/** The settings of a QR code. */
import { ColorSwatch, Group, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core';
import { NumberField } from '../../design/NumberField.tsx';
import { useId } from 'react';
import { t } from '../../copy/text.ts';
import { ChoiceField } from '../../patterns/form/ChoiceField.tsx';
import type { QrValues } from './qr-look.ts';
import classes from './qr.module.css';

interface QrFieldsProps {
  values: QrValues;
  onChange: (values: QrValues) => void;
  /** Returns the server's error for a field. */
  getFault: (name: string) => string | undefined;
}

const CORRECTIONS = [
  { value: 'L', label: t('Low 7%') },
  { value: 'M', label: t('Medium 15%') },
  { value: 'Q', label: t('Quartile 25%') },
  { value: 'H', label: t('High 30%') },
] as const;

export function QrFields({ values, onChange, getFault }: QrFieldsProps) {
  const set = (change: Partial<QrValues>) => onChange({ ...values, ...change });
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        <ColorField
          label={t('Color')}
          value={values.color}
          onChange={(color) => set({ color })}
          error={getFault('color')}
        />
        <Stack gap={8}>
          <ColorField
            label={t('Background')}
            value={values.background}
            disabled={values.transparent}
            onChange={(background) => set({ background })}
            error={getFault('background')}
          />
          <Switch
            size="xs"
            label={t('Transparent')}
            checked={values.transparent}
            onChange={({ currentTarget }) => set({ transparent: currentTarget.checked })}
          />
        </Stack>
        <NumberField
          label={t('Size')}
          description={t('Width and height in pixels')}
          min={64}
          max={4096}
          value={values.size}
          onChange={(size) => set({ size })}
          error={getFault('size')}
        />
        <NumberField
          label={t('Margin')}
          description={t('Empty border, in modules')}
          min={0}
          max={16}
          value={values.margin}
          onChange={(margin) => set({ margin })}
          error={getFault('margin')}
        />
      </SimpleGrid>
      <ChoiceField
        label={t('Error correction')}
        description={t('How much of the code can be damaged or covered.')}
        error={getFault('error_correction')}
        data={CORRECTIONS}
        value={values.error_correction}
        onChange={(correction) => set({ error_correction: correction })}
      />
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

/** A color, typed or chosen with the browser's color picker. */
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
            aria-label={t('{label} picker', { label })}
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
