/**
 * Operations on webhooks; updates are in webhook-update.service.ts. A secret only exists in clear in the response that
 * creates it.
 *
 * Lock order: the creator's subscriptions, the webhook's row, its endpoint.
 */
import type { WorkspaceActor } from '../auth/actor.ts';
import type { SecretBox } from '../../platform/crypto/secret-box.ts';
import type { Unit, ReadUnit } from '../unit/unit-of-work.ts';
import { isEventType, getPatterns, typesMatching } from '../vocabulary/event-catalog.ts';
import { assertMatches, type IfMatch, type WithVersion } from '../../platform/http/etag.ts';
import { publicId } from '../vocabulary/ids.ts';
import { type List, toList, type Page } from '../../platform/http/pagination.ts';
import { invalid, notFound, Problem } from '../../platform/http/problem.ts';
import { wakeEndpoint } from './delivery/delivery-queue.system-store.ts';
import * as receivers from './receiver.store.ts';
import { type CreateWebhookBody, DEFAULT_CONCURRENCY, type WebhookObject } from './webhook.schema.ts';
import * as store from './webhook.store.ts';
import { changeWebhook, disabledBy, ENABLED, writeWebhookEvent } from './webhook-change.ts';
import {
  assertMaySee,
  readNewWebhook,
  subscriptionHash,
  toUnknownEventError,
  type NewWebhookInput,
} from './webhook-input.ts';
import { assertFilterTargets, type FindFilterTargets } from './webhook-filters.ts';
import { withoutInspectToken } from './inspector-url.ts';
import { presentWebhook } from './webhook-present.ts';
import { generateSecret, sealHeaders, sealSecret } from './delivery/webhook-secret.ts';
import type { Quotas } from '../workspaces/quota.ts';

export interface WebhookServiceDeps {
  secrets: SecretBox;
  baseUrl: string;
  quotas: Quotas;
  filterTargets: FindFilterTargets;
}

const NO_FILTERS = { instance_id: null, link_id: null, tag: null };

const withVersion = (row: store.WebhookRow, now: Date): WithVersion<{ webhook: WebhookObject }> => ({
  webhook: presentWebhook(row, now),
  version: row.version,
});

/** @param patternsOrType an event type, or a pattern as a webhook has it. @throws Problem invalid_request */
function patternsFor(patternOrType: string | undefined): string[] | undefined {
  if (patternOrType === undefined) return undefined;
  if (isEventType(patternOrType)) return getPatterns(patternOrType);
  if (!typesMatching(patternOrType)) throw invalid([toUnknownEventError(patternOrType, '?event_type')]);
  return [patternOrType];
}

export async function listWebhooks(
  unit: ReadUnit,
  { baseUrl }: Pick<WebhookServiceDeps, 'baseUrl'>,
  workspaceId: string,
  page: Page,
  { url, eventType, ...filter }: Omit<store.WebhookFilter, 'patterns'> & { eventType: string | undefined },
): Promise<List<WebhookObject>> {
  const rows = await store.listWebhooks(unit.db, workspaceId, page, {
    ...filter,
    patterns: patternsFor(eventType),
    url:
      url !== undefined && URL.canParse(url)
        ? await withoutInspectToken(unit.db, baseUrl, workspaceId, new URL(url).href)
        : url,
  });
  const now = unit.clock();
  return toList(
    rows,
    page,
    ({ id }) => id,
    (row) => presentWebhook(row, now),
  );
}

/** @throws Problem not_found */
export async function getWebhook(
  unit: ReadUnit,
  workspaceId: string,
  id: string,
): Promise<WithVersion<{ webhook: WebhookObject }>> {
  const row = await store.getWebhook(unit.db, workspaceId, id);
  if (!row) throw notFound('webhook');
  return withVersion(row, unit.clock());
}

/** @throws Problem not_found */
export async function lockWebhook(unit: Unit, workspaceId: string, id: string): Promise<store.WebhookRow> {
  const row = await store.lockWebhook(unit.db, workspaceId, id);
  if (!row) throw notFound('webhook');
  return row;
}

/** The same subscription again: the first one, working again where it was the system that disabled it. */
async function again(
  unit: Unit,
  workspaceId: string,
  id: string,
): Promise<WithVersion<{ webhook: WebhookObject }>> {
  const row = await lockWebhook(unit, workspaceId, id);
  const revive = !row.enabled && row.disabled_reason !== 'user';
  return withVersion(revive ? await changeWebhook(unit, row, ENABLED) : row, unit.clock());
}

async function insert(
  unit: Unit,
  secrets: SecretBox,
  actor: WorkspaceActor,
  {
    body,
    input,
    secret,
    hash,
  }: {
    body: CreateWebhookBody;
    input: NewWebhookInput;
    secret: string;
    hash: Buffer;
  },
): Promise<store.WebhookRow> {
  const rowId = { workspace_id: actor.workspaceId, id: unit.newUuid() };
  const now = unit.clock();
  const filters = input.filters ?? NO_FILTERS;
  const headers = body.headers ?? {};
  const row = await store.insertWebhook(unit.db, actor.workspaceId, {
    id: rowId.id,
    url: input.url,
    events: input.events,
    filter_instance_id: filters.instance_id,
    filter_link_id: filters.link_id,
    filter_tag: filters.tag,
    description: body.description ?? null,
    kind: body.kind ?? 'custom',
    templates: JSON.stringify(body.templates ?? {}),
    headers_sealed: sealHeaders(secrets, rowId, headers),
    header_names: Object.keys(headers),
    secret_sealed: sealSecret(secrets, rowId, secret),
    previous_secret_sealed: null,
    previous_secret_until: null,
    ...(body.enabled === false ? disabledBy('user', now) : ENABLED),
    rate_limit_per_minute: input.rateLimit?.limit ?? null,
    rate_limit_burst: input.rateLimit?.burst ?? null,
    concurrency: body.concurrency ?? DEFAULT_CONCURRENCY,
    ordering: body.ordering ?? 'none',
    metadata: body.metadata ?? {},
    created_by: actor.id,
    subscription_hash: hash,
    created_at: now,
    updated_at: now,
  });
  await receivers.insertReceiver(unit.db, actor.workspaceId, row);
  return row;
}

/**
 * Subscribes. The same url, events and filters by the same key or person give the webhook that is there; nothing
 * else of the body counts then.
 * @returns `secret` null where the webhook was there
 * @throws Problem invalid_request, insufficient_scope, quota_exceeded, unprocessable
 */
export async function createWebhook(
  unit: Unit,
  { secrets, baseUrl, quotas, filterTargets }: WebhookServiceDeps,
  actor: WorkspaceActor,
  body: CreateWebhookBody,
): Promise<WithVersion<{ webhook: WebhookObject }> & { secret: string | null; created: boolean }> {
  const read = readNewWebhook(body);
  const url = await withoutInspectToken(unit.db, baseUrl, actor.workspaceId, read.url);
  const input = { ...read, url };
  assertMaySee(actor, input.events);
  const hash = subscriptionHash(input.url, input.events, input.filters ?? NO_FILTERS);
  await store.lockSubscriptionsFor(unit.db, actor.workspaceId, actor.id);
  const known = await store.findBySubscription(unit.db, actor.workspaceId, actor.id, hash);
  if (known !== undefined)
    return { ...(await again(unit, actor.workspaceId, known)), secret: null, created: false };
  if (input.filters) await assertFilterTargets(unit.db, filterTargets, actor.workspaceId, input.filters);
  await quotas.assert(unit, actor.workspaceId, 'webhooks');
  const secret = body.secret ?? generateSecret();
  const made = withVersion(await insert(unit, secrets, actor, { body, input, secret, hash }), unit.clock());
  await writeWebhookEvent(unit, actor.workspaceId, 'webhook.created', made.webhook);
  return { ...made, secret, created: true };
}

/**
 * Deletes a webhook and cancels its pending deliveries; the delivery log stays until it expires.
 * @throws Problem not_found, precondition_failed
 */
export async function deleteWebhook(
  unit: Unit,
  workspaceId: string,
  id: string,
  ifMatch: IfMatch,
): Promise<void> {
  const row = await lockWebhook(unit, workspaceId, id);
  assertMatches(ifMatch, row, 'webhook');
  await receivers.deleteReceiver(unit.db, workspaceId, id);
  await store.deleteWebhook(unit.db, workspaceId, id);
  await wakeEndpoint(unit.db, workspaceId, id);
  await writeWebhookEvent(unit, workspaceId, 'webhook.deleted', presentWebhook(row, unit.clock()));
}

/**
 * Writes a `ping` that is delivered only to this webhook, regardless of its subscriptions.
 * @returns public ID of the event
 * @throws Problem not_found, webhook_disabled
 */
export async function testWebhook(unit: Unit, workspaceId: string, id: string): Promise<string> {
  const row = await lockWebhook(unit, workspaceId, id);
  if (!row.enabled)
    throw new Problem('webhook_disabled', 'The webhook is disabled. Enable it, then test it.');
  const eventId = unit.newUuid();
  const webhookId = publicId('webhook', id);
  await unit.events.write(unit, {
    workspaceId,
    id: eventId,
    type: 'ping',
    resourceId: webhookId,
    object: { object: 'ping', webhook_id: webhookId, message: 'Hello from Fairlead.' },
  });
  return publicId('event', eventId);
}
