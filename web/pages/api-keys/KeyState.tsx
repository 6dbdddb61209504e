import type { ApiKey } from '../../api/types.ts';
import { StateDot } from '../../ui/StateDot.tsx';

const TONES = { active: 'good', expired: 'warn', revoked: 'idle' } as const;

export function KeyState({ state }: { state: ApiKey['state'] }) {
  return <StateDot tone={TONES[state]}>{state}</StateDot>;
}
