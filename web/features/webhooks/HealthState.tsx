import type { WebhookHealth } from '../../api/types.ts';
import { Status } from '../../design/Status.tsx';
import { healthTone, healthLabel } from './health-text.ts';

/** The health of a webhook, as a colored label. */
export function HealthState({ health }: { health: Pick<WebhookHealth, 'state' | 'disabled_reason'> }) {
  const { state, disabled_reason: reason } = health;
  return <Status tone={healthTone(state, reason)}>{healthLabel(state, reason)}</Status>;
}
