/** Labels and colors of delivery statuses and attempt outcomes. */
import { t } from '../../copy/text.ts';
import type { Delivery, DeliveryAttempt } from '../../api/types.ts';

type Status = Delivery['status'];

export const STATUS_TONES = {
  pending: 'warn',
  sending: 'live',
  succeeded: 'good',
  exhausted: 'bad',
  canceled: 'idle',
} as const;

const STATUS_LABELS: Record<Status, string> = {
  pending: t('Pending'),
  sending: t('Sending'),
  succeeded: t('Succeeded'),
  exhausted: t('Exhausted'),
  canceled: t('Canceled'),
};

export const STATUS_OPTIONS = Object.entries(STATUS_LABELS).map(([value, label]) => ({ value, label }));

/** Returns the label of a delivery's status; a failed delivery that has retries left is "Retrying". */
export function statusLabel({ status, attempt_count: attempts }: Delivery): string {
  return status === 'pending' && attempts > 0 ? t('Retrying') : STATUS_LABELS[status];
}

const ERROR_LABELS: Record<string, string> = {
  timeout: t('Timed out'),
  connection_refused: t('Connection refused'),
};

/** Returns a readable label for an error code or reason of the API: "Dns failed". */
export function codeLabel(code: string): string {
  const known = ERROR_LABELS[code];
  if (known !== undefined) return known;
  const spaced = code.replaceAll('_', ' ');
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** Returns the HTTP status of the last attempt of a delivery, or its error. */
export const responseSummary = ({ last_status_code: code, last_error: error }: Delivery): string => {
  if (code !== null) return String(code);
  return error ? codeLabel(error) : '–';
};

/** Returns the HTTP status of an attempt, or its error. */
export function attemptOutcome({ response, error }: DeliveryAttempt): string {
  if (response) return String(response.status_code);
  return error ? codeLabel(error.code) : t('No response');
}

export const isSuccess = ({ response }: DeliveryAttempt): boolean =>
  response !== null && response.status_code >= 200 && response.status_code < 300;
