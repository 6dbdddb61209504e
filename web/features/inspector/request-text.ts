/** Labels and colors of a request's signature, and the format of its size. */
import { language, t } from '../../copy/text.ts';
import type { InspectorRequestSummary } from '../../api/types.ts';

type Signature = InspectorRequestSummary['signature'];

export const SIGNATURES: Record<
  Signature,
  { tone: 'good' | 'bad' | 'idle' | 'warn'; label: string; explanation: string }
> = {
  valid: {
    tone: 'good',
    label: t('Verified'),
    explanation: t("The signature matches the webhook's signing secret."),
  },
  invalid: {
    tone: 'bad',
    label: t('Invalid'),
    explanation: t("The signature doesn't match the webhook's signing secret."),
  },
  unchecked: {
    tone: 'warn',
    label: t('Not checked'),
    explanation: t("The request is signed with a secret Fairlead doesn't know."),
  },
  absent: { tone: 'idle', label: t('Unsigned'), explanation: t("The request isn't signed.") },
};

const number = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
const KIB = 1024;

/** Formats a size in bytes: "512 B", "1.5 KiB". */
export const formatSize = (bytes: number): string =>
  bytes < KIB ? t('{size} B', { size: bytes }) : t('{size} KiB', { size: number.format(bytes / KIB) });
