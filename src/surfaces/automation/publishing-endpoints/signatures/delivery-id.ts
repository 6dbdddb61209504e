/**
 * The id that a platform gives what it sends, and keeps when it sends it again: what has it is known to be the same.
 *
 * Standard Webhooks, Stripe and Slack sign theirs. GitHub does not: its header tells two deliveries of one request apart,
 * and protects from nobody who changes it.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Scheme } from '../endpoint-secret.ts';

const LONGEST = 255;

const memberOf = (payload: unknown, name: string): unknown =>
  payload !== null && typeof payload === 'object' && Object.hasOwn(payload, name)
    ? (payload as Record<string, unknown>)[name]
    : null;

const SOURCES: Record<Scheme, (headers: IncomingHttpHeaders, payload: unknown) => unknown> = {
  // Of the same headers as those that were verified.
  standard_webhooks: (headers) =>
    headers['webhook-signature'] === undefined ? headers['svix-id'] : headers['webhook-id'],
  github: (headers) => headers['x-github-delivery'],
  stripe: (_headers, payload) => memberOf(payload, 'id'),
  // Commands and clicks have no id, and are not sent twice; each has another word in its body, so signatures differ.
  slack: (headers, payload) => memberOf(payload, 'event_id') ?? headers['x-slack-signature'],
  hmac: () => null,
};

/** @param headers @param payload of a request that was verified. @returns null where it has none */
export function deliveryIdOf(scheme: Scheme, headers: IncomingHttpHeaders, payload: unknown): string | null {
  const id = SOURCES[scheme](headers, payload);
  return typeof id === 'string' && id.length > 0 && id.length <= LONGEST ? id : null;
}
