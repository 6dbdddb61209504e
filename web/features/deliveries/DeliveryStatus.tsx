import type { Delivery } from '../../api/types.ts';
import { Status } from '../../design/Status.tsx';
import { STATUS_TONES, statusLabel } from './delivery-text.ts';

/** The status of a delivery, as a colored label. */
export function DeliveryStatus({ delivery }: { delivery: Delivery }) {
  const waits = delivery.status === 'pending' && delivery.attempt_count === 0;
  return <Status tone={waits ? 'live' : STATUS_TONES[delivery.status]}>{statusLabel(delivery)}</Status>;
}
