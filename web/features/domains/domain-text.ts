/** Names of the domain statuses, and what to do next. */
import { t } from '../../copy/text.ts';
import type { Domain } from '../../api/types.ts';
import type { Tone } from '../../design/tone.ts';

interface StateText {
  tone: Tone;
  label: string;
  /** Describes the status and what to do. */
  advice: string;
}

export const STATES: Record<Domain['state'], StateText> = {
  pending: {
    tone: 'warn',
    label: t('Pending verification'),
    advice: t(
      'Create this record at your DNS provider and point the domain to this server. We check it for 7 days, or you can verify it now.',
    ),
  },
  verified: {
    tone: 'good',
    label: t('Verified'),
    advice: t('You can use this domain for links. The DNS record is no longer needed.'),
  },
  failed: {
    tone: 'bad',
    label: t('Failed'),
    advice: t(
      "The record wasn't found in time, or another workspace verified this domain. Correct the record and verify again to get another 7 days.",
    ),
  },
};
