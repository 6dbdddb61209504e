import type { Delivery } from '../../api/types.ts';
import { StateDot } from '../../ui/StateDot.tsx';
import { STATUS_TONES, statusWord } from './delivery-text.ts';

/** Where a delivery stands, as a colour and a word. */
export function DeliveryStatus({ delivery }: { delivery: Delivery }) {
  const waits = delivery.status === 'pending' && delivery.attempt_count === 0;
  return <StateDot tone={waits ? 'live' : STATUS_TONES[delivery.status]}>{statusWord(delivery)}</StateDot>;
}
