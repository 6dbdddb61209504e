/** Statuses of publications and of their results as colours and words. */
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

const REASONS = {
  user: 'canceled',
  filtered: 'filtered out',
  endpoint_deleted: 'endpoint deleted',
  contact_erased: 'contact erased',
} as const;

export const toneOf = ({ status }: Pick<Publication, 'status'>): Tone => TONES[status];

export const statusWord = (status: Publication['status']): string => status.replaceAll('_', ' ');

/** "published", "filtered out", "partially published". */
export const wordOf = ({ status, reason }: Pick<Publication, 'status' | 'reason'>): string =>
  status === 'canceled' && reason !== null ? REASONS[reason] : statusWord(status);

const HELD_BACK = {
  user: 'Somebody canceled it before it was published.',
  filtered: "The endpoint's filter did not hold for it, so nothing was sent. A replay goes past the filter.",
  endpoint_deleted: 'Its endpoint was deleted before it was published.',
  contact_erased: 'It was for somebody whose contact was erased before it was published.',
} as const;

/** Why nothing was sent of it, or not yet, in a sentence; null where something is, or where its error says so. */
export function whyNotOf({ status, reason }: Pick<Publication, 'status' | 'reason'>): string | null {
  if (status === 'canceled' && reason !== null) return HELD_BACK[reason];
  if (status === 'duplicate')
    return 'The same came within the 24 hours before, so it was not sent again. A replay sends it.';
  return status === 'scheduled' ? 'It waits for its time, by the schedule or the quiet hours.' : null;
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
export const resultTone = ({ status }: Pick<PublicationResult, 'status'>): Tone => RESULT_TONES[status];

const ARRIVED: readonly string[] = ['sent', 'delivered', 'read'];
/** How many of its destinations have it: "2 of 3"; null before there are any. */
export function arrivedOf({ results }: Pick<Publication, 'results'>): string | null {
  if (results.length === 0) return null;
  const arrived = results.filter(({ status }) => ARRIVED.includes(status)).length;
  return `${arrived} of ${results.length}`;
}

const SOURCES: Record<Publication['source'], string> = {
  bearer: 'API key',
  secret_url: 'secret URL',
  signature: 'signature',
  replay: 'replay',
};
export const sourceWord = ({ source }: Pick<Publication, 'source'>): string => SOURCES[source];

/** Nothing of it has been sent yet, so that it can be canceled. */
export const canBeCanceled = ({ status }: Pick<Publication, 'status'>): boolean =>
  status === 'received' || status === 'scheduled';

/** What the first fault says, for a line of a list. */
export function faultLine({ error, results }: Pick<Publication, 'error' | 'results'>): string | null {
  if (error) return error.errors[0]?.detail ?? error.detail;
  return results.find((result) => result.error !== null)?.error?.detail ?? null;
}
