/** Reads and validates the input of a webhook; reports all field errors. */
import { createHash } from 'node:crypto';
import type { RateLimit, WorkspaceActor } from '../auth/actor.ts';
import { CATALOG, EVENT_TYPES, type EventType, typesMatching } from '../vocabulary/event-catalog.ts';
import { toUnknownTypeError } from '../events/event.service.ts';
import { isLiveType } from '../vocabulary/live-catalog.ts';
import { escapePointer, type FieldError, invalid, Problem } from '../../platform/http/problem.ts';
import { getRateLimit } from '../api/rate-limit.schema.ts';
import { nearMatch } from '../../platform/http/validation.ts';
import type { CreateWebhookBody, UpdateWebhookBody, WebhookObject } from './webhook.schema.ts';
import { validateHeaders } from './webhook-headers.ts';
import { parseSecret } from '../../platform/crypto/webhook-signature.ts';
import { readUrl } from './webhook-url.ts';

export interface WebhookInput {
  /** Normalized URL with its pointer in the body; null if none was given. */
  address: { url: string; pointer: string } | null;
  events: string[] | null;
  filters: WebhookObject['filters'] | null;
  headers: Record<string, string | null> | null;
  /** Undefined where nothing was said. */
  rateLimit: RateLimit | null | undefined;
}

/** All patterns that mean something, for near matches. */
const knownPatterns = (): string[] => [
  ...EVENT_TYPES,
  ...new Set(EVENT_TYPES.filter((type) => type.includes('.')).map((type) => `${type.split('.')[0]}.*`)),
];

export function toUnknownEventError(pattern: string, pointer: string): FieldError {
  if (isLiveType(pattern)) return toUnknownTypeError(pattern, pointer);
  const near = nearMatch(pattern, knownPatterns());
  return {
    pointer,
    code: 'unknown_event_type',
    detail: near || 'is not an event type; GET /event-types lists them',
  };
}

function readEvents(given: string[], faults: FieldError[]): string[] {
  for (const [index, pattern] of given.entries())
    if (!typesMatching(pattern)) faults.push(toUnknownEventError(pattern, `/events/${index}`));
  return [...new Set(given)];
}

function readSecret(secret: string, faults: FieldError[]): void {
  if (!parseSecret(secret))
    faults.push({
      pointer: '/secret',
      code: 'invalid_secret',
      detail: 'must be whsec_ followed by 24 to 64 base64-encoded bytes',
    });
}

function read(body: CreateWebhookBody | UpdateWebhookBody, faults: FieldError[]): WebhookInput {
  const { filters, rate_limit: rate, headers, events, templates } = body;
  for (const pattern of Object.keys(templates ?? {}))
    if (!typesMatching(pattern))
      faults.push(toUnknownEventError(pattern, `/templates/${escapePointer(pattern)}`));
  if (headers) faults.push(...validateHeaders(headers));
  return {
    address: readUrl(body, faults),
    events: events ? readEvents(events, faults) : null,
    filters: filters
      ? {
          instance_id: filters.instance_id ?? null,
          link_id: filters.link_id ?? null,
          tag: filters.tag ?? null,
        }
      : null,
    headers: headers ?? null,
    rateLimit: rate === undefined ? undefined : getRateLimit(rate),
  };
}

export const toUnprocessable = (errors: FieldError[]): Problem =>
  new Problem('unprocessable', errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; '), {
    errors,
  });

export type NewWebhookInput = WebhookInput & { url: string; events: string[] };

/** @throws Problem invalid_request */
export function readNewWebhook(body: CreateWebhookBody): NewWebhookInput {
  const faults: FieldError[] = [];
  if (body.url === undefined && body.target_url === undefined)
    faults.push({ pointer: '/url', code: 'required', detail: 'is required' });
  if (body.secret !== undefined) readSecret(body.secret, faults);
  const input = read(body, faults);
  if (faults.length) throw invalid(faults);
  return { ...input, url: input.address!.url, events: input.events! };
}

/** @throws Problem invalid_request */
export function readWebhookChanges(body: UpdateWebhookBody): WebhookInput {
  const faults: FieldError[] = [];
  const input = read(body, faults);
  if (faults.length) throw invalid(faults);
  return input;
}

/** @throws Problem invalid_request */
export function assertSecret(secret: string): void {
  const faults: FieldError[] = [];
  readSecret(secret, faults);
  if (faults.length) throw invalid(faults);
}

/**
 * The caller must be able to read every event that the webhook delivers.
 * @throws Problem insufficient_scope with the missing scopes
 */
export function assertMaySee(actor: WorkspaceActor, events: readonly string[]): void {
  const types = new Set<EventType>(events.flatMap((pattern) => typesMatching(pattern) ?? []));
  const needed = new Set([...types].map((type) => CATALOG[type].scope));
  const lacking = [...needed].filter((scope) => !actor.scopes.has(scope));
  if (lacking.length)
    throw new Problem(
      'insufficient_scope',
      `A webhook for ${events.slice(0, 5).join(', ')} requires the scope${lacking.length > 1 ? 's' : ''} ${lacking.join(', ')}.`,
    );
}

/** Webhooks of one creator are the same if URL, event types and filters are equal. */
export const subscriptionHash = (
  url: string,
  events: readonly string[],
  filters: WebhookObject['filters'],
): Buffer =>
  createHash('sha256')
    .update(
      JSON.stringify([url, [...new Set(events)].sort(), filters.instance_id, filters.link_id, filters.tag]),
    )
    .digest();
