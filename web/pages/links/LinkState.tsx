/** Whether a link leads anywhere, in a word. */
import type { ComponentProps } from 'react';
import type { Link } from '../../api/types.ts';
import { StateDot } from '../../ui/StateDot.tsx';

const TONES: Record<Link['state'], ComponentProps<typeof StateDot>['tone']> = {
  active: 'good',
  expired: 'warn',
  exhausted: 'warn',
  archived: 'idle',
};

export function LinkState({ state }: { state: Link['state'] }) {
  return <StateDot tone={TONES[state]}>{state}</StateDot>;
}
