/** Changing a webhook, and giving it a new secret. */
import type { WorkspaceActor } from '../auth/actor.ts';
import type { SecretBox } from '../../platform/crypto/secret-box.ts';
import type { Unit } from '../unit/unit-of-work.ts';
import { assertMatches, type IfMatch, type WithVersion } from '../../platform/http/etag.ts';
import { escapePointer, type FieldError, notFound, Problem } from '../../platform/http/problem.ts';
import type { UpdateWebhookBody, WebhookObject } from './webhook.schema.ts';
import { withoutInspectToken } from './inspector-url.ts';
import { assertFilterTargets } from './webhook-filters.ts';
import { lockWebhook, type WebhookServiceDeps } from './webhook.service.ts';
import * as store from './webhook.store.ts';
import { changeWebhook, disabledBy, ENABLED } from './webhook-change.ts';
import {
  assertMaySee,
  assertSecret,
  readWebhookChanges,
  subscriptionHash,
  toUnprocessable,
  type WebhookInput,
} from './webhook-input.ts';
import { filtersOfRow, presentWebhook } from './webhook-present.ts';
import {
  generateSecret,
  openHeaders,
  openSecret,
  sealHeaders,
  sealSecret,
} from './delivery/webhook-secret.ts';

const OVERLAP_MS = 24 * 60 * 60 * 1000;

/**
 * Checks that a caller who moves a webhook to another host provides its credentials again. Otherwise anyone who may
 * change it could have them sent to their own host.
 * @throws Problem unprocessable
 */
function assertMayMove(row: store.WebhookRow, { address, headers }: WebhookInput): void {
  if (!address || !row.header_names.length || new URL(address.url).origin === new URL(row.url).origin) return;
  const detail = 'must be given again when the url moves to another origin';
  if (!headers) throw toUnprocessable([{ pointer: '/headers', code: 'required', detail }]);
  const kept = Object.keys(headers).filter((name) => headers[name] === null);
  if (kept.length)
    throw toUnprocessable(
      kept.map((name) => ({ pointer: `/headers/${escapePointer(name)}`, code: 'required', detail })),
    );
}

/** The new set of headers; null takes over the value that the header has. @throws Problem unprocessable */
function mergeHeaders(
  secrets: SecretBox,
  row: store.WebhookRow,
  given: Record<string, string | null>,
): Record<string, string> {
  const present = new Map(
    Object.entries(openHeaders(secrets, row, row.headers_sealed)).map(([name, value]) => [
      name.toLowerCase(),
      value,
    ]),
  );
  const faults: FieldError[] = [];
  const merged = Object.entries(given).map(([name, value]): [string, string] => {
    const kept = value ?? present.get(name.toLowerCase());
    if (kept === undefined)
      faults.push({
        pointer: `/headers/${escapePointer(name)}`,
        code: 'required',
        detail: 'has no value yet that could be kept',
      });
    return [name, kept ?? ''];
  });
  if (faults.length) throw toUnprocessable(faults);
  return Object.fromEntries(merged);
}

/** @throws Problem conflict if the creator has another webhook with the same subscription */
async function getSubscription(
  unit: Unit,
  row: store.WebhookRow,
  { address, events, filters }: WebhookInput,
): Promise<store.WebhookChange> {
  const url = address?.url ?? row.url;
  const patterns = events ?? row.events;
  const wanted = filters ?? filtersOfRow(row);
  const hash = subscriptionHash(url, patterns, wanted);
  const other = await store.findBySubscription(unit.db, row.workspace_id, row.created_by, hash, row.id);
  if (other !== undefined)
    throw new Problem(
      'conflict',
      'Another webhook with the same creator already has this URL, these events and these filters.',
    );
  return {
    url,
    events: patterns,
    filter_instance_id: wanted.instance_id,
    filter_link_id: wanted.link_id,
    filter_tag: wanted.tag,
    subscription_hash: hash,
  };
}

function getSettings(
  unit: Unit,
  row: store.WebhookRow,
  body: UpdateWebhookBody,
  { rateLimit }: WebhookInput,
): store.WebhookChange {
  const stateChanges = body.enabled !== undefined && (body.enabled !== row.enabled || !body.enabled);
  return {
    ...(stateChanges ? (body.enabled ? ENABLED : disabledBy('user', row.disabled_at ?? unit.clock())) : {}),
    ...(body.description === undefined ? {} : { description: body.description }),
    ...(rateLimit === undefined
      ? {}
      : { rate_limit_per_minute: rateLimit?.limit ?? null, rate_limit_burst: rateLimit?.burst ?? null }),
    ...(body.concurrency === undefined ? {} : { concurrency: body.concurrency }),
    ...(body.ordering === undefined ? {} : { ordering: body.ordering }),
    ...(body.kind === undefined ? {} : { kind: body.kind }),
    ...(body.templates === undefined ? {} : { templates: JSON.stringify(body.templates) }),
    ...(body.metadata === undefined ? {} : { metadata: body.metadata }),
  };
}

/**
 * Fields that are left out stay.
 * @throws Problem invalid_request, not_found, precondition_failed, insufficient_scope, conflict, unprocessable
 */
export async function updateWebhook(
  unit: Unit,
  { secrets, baseUrl, filterTargets }: Omit<WebhookServiceDeps, 'quotas'>,
  actor: WorkspaceActor,
  id: string,
  body: UpdateWebhookBody,
  ifMatch: IfMatch,
): Promise<WithVersion<{ webhook: WebhookObject }>> {
  const input = readWebhookChanges(body);
  const { address } = input;
  if (address) address.url = await withoutInspectToken(unit.db, baseUrl, actor.workspaceId, address.url);
  const resubscribes = Boolean(input.address ?? input.events ?? input.filters);
  if (resubscribes) {
    const maker = (await store.getWebhook(unit.db, actor.workspaceId, id))?.created_by;
    if (maker === undefined) throw notFound('webhook');
    await store.lockSubscriptionsFor(unit.db, actor.workspaceId, maker);
  }
  const row = await lockWebhook(unit, actor.workspaceId, id);
  assertMatches(ifMatch, row, 'webhook');
  // Every caller who may change webhooks may disable one.
  const onlyDisables = body.enabled === false && Object.keys(body).length === 1;
  if (!onlyDisables) assertMaySee(actor, [...row.events, ...(input.events ?? [])]);
  assertMayMove(row, input);
  if (input.filters)
    await assertFilterTargets(unit.db, filterTargets, actor.workspaceId, input.filters, filtersOfRow(row));
  const headers = input.headers && mergeHeaders(secrets, row, input.headers);
  const after = await changeWebhook(unit, row, {
    ...getSettings(unit, row, body, input),
    ...(resubscribes ? await getSubscription(unit, row, input) : {}),
    ...(headers
      ? { headers_sealed: sealHeaders(secrets, row, headers), header_names: Object.keys(headers) }
      : {}),
  });
  return { webhook: presentWebhook(after, unit.clock()), version: after.version };
}

/**
 * The secret before signs too for a day; one that was in its day already ends now.
 * @param own a secret that the caller brings. @throws Problem invalid_request, not_found, insufficient_scope
 */
export async function rotateSecret(
  unit: Unit,
  secrets: SecretBox,
  actor: WorkspaceActor,
  id: string,
  own: string | undefined,
): Promise<WithVersion<{ webhook: WebhookObject }> & { secret: string }> {
  if (own !== undefined) assertSecret(own);
  const row = await lockWebhook(unit, actor.workspaceId, id);
  assertMaySee(actor, row.events);
  const now = unit.clock();
  const secret = own ?? generateSecret();
  // The same secret again, as by a retry, must not push out the one before.
  const unchanged = secret === openSecret(secrets, row, row.secret_sealed);
  const after = unchanged
    ? row
    : await changeWebhook(unit, row, {
        secret_sealed: sealSecret(secrets, row, secret),
        previous_secret_sealed: row.secret_sealed,
        previous_secret_until: new Date(now.getTime() + OVERLAP_MS),
      });
  return { webhook: presentWebhook(after, now), version: after.version, secret };
}
