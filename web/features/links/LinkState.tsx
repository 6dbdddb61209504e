/** The status of a link. */
import type { Link } from '../../api/types.ts';
import { Status } from '../../design/Status.tsx';
import type { Tone } from '../../design/tone.ts';
import { STATE_NAMES } from './link-text.ts';

const TONES: Record<Link['state'], Tone> = {
  active: 'good',
  expired: 'warn',
  exhausted: 'warn',
  archived: 'idle',
};

export function LinkState({ state }: { state: Link['state'] }) {
  return <Status tone={TONES[state]}>{STATE_NAMES[state]}</Status>;
}
