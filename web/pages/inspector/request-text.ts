/** What arrived at an inspector, in colours and words. */
import type { InspectorRequestSummary } from '../../api/types.ts';

type Signature = InspectorRequestSummary['signature'];

export const SIGNATURES: Record<
  Signature,
  { tone: 'good' | 'bad' | 'idle' | 'warn'; word: string; explanation: string }
> = {
  valid: {
    tone: 'good',
    word: 'verified',
    explanation: 'The signature is right: it is by the secret of the webhook.',
  },
  invalid: {
    tone: 'bad',
    word: 'not valid',
    explanation: 'There is a signature, and it is not by the secret of the webhook.',
  },
  unchecked: {
    tone: 'warn',
    word: 'not checked',
    explanation: 'It bears a signature by a secret that is not known here.',
  },
  absent: { tone: 'idle', word: 'none', explanation: 'It bears no signature.' },
};

const number = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const KIB = 1024;

/** "512 B", "1.5 KiB" */
export const size = (bytes: number): string =>
  bytes < KIB ? `${bytes} B` : `${number.format(bytes / KIB)} KiB`;
