/** Words for the states of a domain. */
import type { ComponentProps } from 'react';
import type { Domain } from '../../api/types.ts';
import type { StateDot } from '../../ui/StateDot.tsx';

interface Said {
  tone: ComponentProps<typeof StateDot>['tone'];
  word: string;
  /** What it means, and what there is to do. */
  advice: string;
}

export const STATES: Record<Domain['state'], Said> = {
  pending: {
    tone: 'warn',
    word: 'waits for its record',
    advice:
      'Set this record at whoever manages your DNS, and point the host to this server. It is looked for by itself for seven days; you can also have it looked for now.',
  },
  verified: {
    tone: 'good',
    word: 'verified',
    advice: 'It is yours, and links can be on it. The record may go now; it was looked for once.',
  },
  failed: {
    tone: 'bad',
    word: 'failed',
    advice:
      'The record was not found in time, or the host is somebody else’s here. Set it right and have it looked for again: it then has seven more days.',
  },
};
