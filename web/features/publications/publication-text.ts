/** Labels and colors of publications, their results, and their sources. */
import { t } from '../../copy/text.ts';
import type { Publication, PublicationResult } from '../../api/types.ts';

type Tone = 'good' | 'warn' | 'bad' | 'idle' | 'live';

const TONES: Record<Publication['status'], Tone> = {
  received: 'live',
  scheduled: 'live',
  publishing: 'live',
  published: 'good',
  partially_published: 'warn',
  failed: 'bad',
  rejected: 'bad',
  duplicate: 'idle',
  canceled: 'idle',
};

const CANCEL_LABELS = {
  user: t('Canceled'),
  filtered: t('Filtered out'),
  endpoint_deleted: t('Endpoint deleted'),
  contact_erased: t('Contact erased'),
} as const;

export const publicationTone = ({ status }: Pick<Publication, 'status'>): Tone => TONES[status];

const STATUS_LABELS: Record<Publication['status'], string> = {
  received: t('Received'),
  scheduled: t('Scheduled'),
  publishing: t('Publishing'),
  published: t('Published'),
  partially_published: t('Partially published'),
  failed: t('Failed'),
  rejected: t('Rejected'),
  duplicate: t('Duplicate'),
  canceled: t('Canceled'),
};

export const statusLabel = (status: Publication['status']): string => STATUS_LABELS[status];

/** Returns the status, or why the publication was canceled: "Published", "Filtered out". */
export const publicationLabel = ({ status, reason }: Pick<Publication, 'status' | 'reason'>): string =>
  status === 'canceled' && reason !== null ? CANCEL_LABELS[reason] : statusLabel(status);

const CANCEL_EXPLANATIONS = {
  user: t('This publication was canceled before it was published.'),
  filtered: t(
    "The payload didn't match the endpoint's filter, so nothing was sent. Replay it to bypass the filter.",
  ),
  endpoint_deleted: t('The endpoint was deleted before this was published.'),
  contact_erased: t('The recipient was erased before this was published.'),
} as const;

/** Explains why a publication was not sent, or not yet; null if it was, or if its error explains it. */
export function explainStatus({ status, reason }: Pick<Publication, 'status' | 'reason'>): string | null {
  if (status === 'canceled' && reason !== null) return CANCEL_EXPLANATIONS[reason];
  if (status === 'duplicate')
    return t(
      'A request with the same dedupe key arrived within the last 24 hours. Replay this one to send it.',
    );
  return status === 'scheduled' ? t('Waiting for its schedule or the end of quiet hours.') : null;
}

const RESULT_TONES: Record<PublicationResult['status'], Tone> = {
  pending: 'live',
  queued: 'live',
  sent: 'good',
  delivered: 'good',
  read: 'good',
  failed: 'bad',
  canceled: 'idle',
};
const RESULT_LABELS: Record<PublicationResult['status'], string> = {
  pending: t('Pending'),
  queued: t('Queued'),
  sent: t('Sent'),
  delivered: t('Delivered'),
  read: t('Read'),
  failed: t('Failed'),
  canceled: t('Canceled'),
};
export const resultLabel = ({ status }: Pick<PublicationResult, 'status'>): string => RESULT_LABELS[status];
export const resultTone = ({ status }: Pick<PublicationResult, 'status'>): Tone => RESULT_TONES[status];

const DELIVERED: readonly string[] = ['sent', 'delivered', 'read'];
/** Returns how many destinations were reached, "2 of 3"; null before there are results. */
export function deliveredCount({ results }: Pick<Publication, 'results'>): string | null {
  if (results.length === 0) return null;
  const count = results.filter(({ status }) => DELIVERED.includes(status)).length;
  return t('{count} of {total}', { count, total: results.length });
}

const SOURCES: Record<Publication['source'], string> = {
  bearer: t('API key'),
  secret_url: t('Secret URL'),
  signature: t('Signature'),
  replay: t('Replay'),
};
export const sourceLabel = ({ source }: Pick<Publication, 'source'>): string => SOURCES[source];

/** Returns whether a publication can be canceled, which is while nothing has been sent. */
export const canBeCanceled = ({ status }: Pick<Publication, 'status'>): boolean =>
  status === 'received' || status === 'scheduled';

/** Returns the message of the first error, for a list. */
export function firstError({ error, results }: Pick<Publication, 'error' | 'results'>): string | null {
  if (error) return error.errors[0]?.detail ?? error.detail;
  return results.find((result) => result.error !== null)?.error?.detail ?? null;
}
