/** The status of a link. */
import type { ComponentProps } from 'react';
import type { Link } from '../../api/types.ts';
import { StateDot } from '../../design/StateDot.tsx';
import { STATE_NAMES } from './link-text.ts';

const TONES: Record<Link['state'], ComponentProps<typeof StateDot>['tone']> = {
  active: 'good',
  expired: 'warn',
  exhausted: 'warn',
  archived: 'idle',
};

export function LinkState({ state }: { state: Link['state'] }) {
  return <StateDot tone={TONES[state]}>{STATE_NAMES[state]}</StateDot>;
}
