/** The look of a QR code: the values of the form, and the parameters of the API. */
import type { QrLook } from '../../api/analytics.ts';

export interface QrValues {
  size: string;
  color: string;
  background: string;
  transparent: boolean;
  margin: string;
  error_correction: QrLook['error_correction'];
}

/** The server's defaults. */
export const FIRST_LOOK: QrValues = {
  size: '512',
  color: '#000000',
  background: '#ffffff',
  transparent: false,
  margin: '4',
  error_correction: 'M',
};

/** Returns the values that differ from the defaults. Invalid numbers are sent too, for the server to report. */
export function getLook(values: QrValues): Partial<QrLook> {
  const { size, margin, color, error_correction: correction } = values;
  const background = values.transparent ? 'transparent' : values.background;
  const asked = { size, color, background, margin, error_correction: correction };
  return Object.fromEntries(
    Object.entries(asked).filter(([name, value]) => value !== FIRST_LOOK[name as keyof QrValues]),
  );
}
