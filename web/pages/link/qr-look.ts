/** How a code looks, as its form has it and as the API takes it. */
import type { QrLook } from '../../api/analytics.ts';

export interface QrValues {
  size: string;
  color: string;
  background: string;
  transparent: boolean;
  margin: string;
  error_correction: QrLook['error_correction'];
}

/** As the server draws it where nothing is said. */
export const FIRST_LOOK: QrValues = {
  size: '512',
  color: '#000000',
  background: '#ffffff',
  transparent: false,
  margin: '4',
  error_correction: 'M',
};

/** Only what differs from the server's own. What is no number is sent as it is, for the server to say so. */
export function lookOf(values: QrValues): Partial<QrLook> {
  const { size, margin, color, error_correction: correction } = values;
  const background = values.transparent ? 'transparent' : values.background;
  const asked = { size, color, background, margin, error_correction: correction };
  return Object.fromEntries(
    Object.entries(asked).filter(([name, value]) => value !== FIRST_LOOK[name as keyof QrValues]),
  );
}
