import type { WebhookHealth } from '../../api/types.ts';
import { StateDot } from '../../ui/StateDot.tsx';
import { healthTone, healthWord } from './health-text.ts';

/** The health of a webhook as a colour and a word. */
export function HealthState({ health }: { health: Pick<WebhookHealth, 'state' | 'disabled_reason'> }) {
  const { state, disabled_reason: reason } = health;
  return <StateDot tone={healthTone(state, reason)}>{healthWord(state, reason)}</StateDot>;
}
