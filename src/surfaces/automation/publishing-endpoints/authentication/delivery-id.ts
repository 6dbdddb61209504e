/**
 * Reads the delivery ID that a platform assigns and repeats on redelivery; requests with the same ID are duplicates.
 * | Standard Webhooks, Stripe and Slack sign their IDs. GitHub does not: its header distinguishes deliveries but does
 * not protect against tampering.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Scheme } from './endpoint-secret.ts';

const LONGEST = 255;

const getMember = (payload: unknown, name: string): unknown =>
  payload !== null && typeof payload === 'object' && Object.hasOwn(payload, name)
    ? (payload as Record<string, unknown>)[name]
    : null;

const SOURCES: Record<Scheme, (headers: IncomingHttpHeaders, payload: unknown) => unknown> = {
  // Reads the same headers that were verified.
  standard_webhooks: (headers) =>
    headers['webhook-signature'] === undefined ? headers['svix-id'] : headers['webhook-id'],
  github: (headers) => headers['x-github-delivery'],
  stripe: (_headers, payload) => getMember(payload, 'id'),
  // Commands and clicks have no ID and are not redelivered. Their bodies differ, so the signature identifies them.
  slack: (headers, payload) => getMember(payload, 'event_id') ?? headers['x-slack-signature'],
  hmac: () => null,
};

/** Returns the delivery ID of a verified request; null if it has none. */
export function getDeliveryId(scheme: Scheme, headers: IncomingHttpHeaders, payload: unknown): string | null {
  const id = SOURCES[scheme](headers, payload);
  return typeof id === 'string' && id.length > 0 && id.length <= LONGEST ? id : null;
}
