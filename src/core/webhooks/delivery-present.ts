/** Deliveries and attempts as the API shows them. */
import { timeOfUuid } from '../../platform/db/uuid-time.ts';
import { publicId } from '../vocabulary/ids.ts';
import type { DeliveryStatus } from './delivery/delivery-state.ts';
import type { AttemptObject, DeliveryObject } from './delivery.schema.ts';
import type { AttemptRow, DeliveryRow } from './delivery.store.ts';

const newest = (...times: (Date | null)[]): string =>
  new Date(Math.max(...times.map((time) => time?.getTime() ?? 0))).toISOString();

export function presentDelivery(row: DeliveryRow): DeliveryObject {
  const createdAt = timeOfUuid(row.id);
  return {
    id: publicId('delivery', row.id),
    object: 'delivery',
    webhook_id: publicId('webhook', row.webhook_id),
    event_id: publicId('event', row.event_id),
    event_type: row.event_type,
    status: row.claimed ? 'sending' : (row.status as DeliveryStatus),
    reason: row.reason,
    attempt_count: row.attempts,
    next_attempt_at: row.due_at?.toISOString() ?? null,
    last_attempt_at: row.last_attempt_at?.toISOString() ?? null,
    last_status_code: row.last_status_code,
    last_error: row.last_error,
    completed_at: row.completed_at?.toISOString() ?? null,
    created_at: createdAt.toISOString(),
    updated_at: newest(createdAt, row.last_attempt_at, row.completed_at),
  };
}

/** Bytes as text. Where they were cut, a character that the cut went through is left out. */
function toText(bytes: Buffer, truncated: boolean): { body: string; body_is_utf8: boolean } {
  try {
    const body = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, {
      stream: truncated,
    });
    return { body, body_is_utf8: true };
  } catch {
    return { body: bytes.toString('utf8'), body_is_utf8: false }; // the decoder reports it only by throwing
  }
}

/** @param hidden whether the caller may not read the event, which the receiver may have sent back */
export function presentAttempt(row: AttemptRow, hidden: boolean): AttemptObject {
  const createdAt = timeOfUuid(row.id).toISOString();
  const text = toText(row.response_body ?? Buffer.alloc(0), row.response_truncated);
  return {
    id: publicId('attempt', row.id),
    object: 'attempt',
    delivery_id: publicId('delivery', row.delivery_id),
    number: row.number,
    started_at: row.started_at.toISOString(),
    duration_ms: row.duration_ms,
    remote_address: row.remote_address,
    request: {
      method: 'POST',
      url: row.url,
      headers: row.request_headers as Record<string, unknown>,
      body: hidden ? null : row.request_body,
    },
    response:
      row.status_code === null
        ? null
        : {
            status_code: row.status_code,
            headers: (row.response_headers ?? {}) as Record<string, unknown>,
            body: hidden ? null : text.body,
            body_is_utf8: text.body_is_utf8,
            truncated: row.response_truncated,
          },
    error: row.error_code === null ? null : { code: row.error_code, detail: row.error_detail ?? '' },
    created_at: createdAt,
    updated_at: createdAt,
  };
}
