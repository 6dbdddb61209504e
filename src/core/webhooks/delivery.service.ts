/** Looking at deliveries, and sending one again. */
import type { Scope } from '../vocabulary/scopes.ts';
import type { Unit, ReadUnit } from '../unit/unit-of-work.ts';
import { maySeeType } from '../vocabulary/event-catalog.ts';
import { presentEvent } from '../events/event.service.ts';
import { getEvent } from '../events/event.store.ts';
import { publicId } from '../vocabulary/ids.ts';
import { type List, toList, type Page } from '../../platform/http/pagination.ts';
import { notFound, Problem } from '../../platform/http/problem.ts';
import { mayFollow } from './delivery/delivery-state.ts';
import { presentAttempt, presentDelivery } from './delivery-present.ts';
import { isTemplated } from './kinds/webhook-body.ts';
import { getWebhook } from './webhook.store.ts';
import { formOfRow } from './webhook-present.ts';
import * as requeueing from './delivery-requeue.store.ts';
import type { AttemptObject, DeliveryDetail, DeliveryObject } from './delivery.schema.ts';
import * as store from './delivery.store.ts';

const NEWEST_ATTEMPTS = 100;

/** @throws Problem not_found where the webhook is not there */
export async function listDeliveries(
  unit: ReadUnit,
  workspaceId: string,
  webhookId: string,
  page: Page,
  filter: store.DeliveryFilter,
): Promise<List<DeliveryObject>> {
  if (!(await store.webhookExists(unit.db, workspaceId, webhookId))) throw notFound('webhook');
  const { rows, windowEnd } = await store.listDeliveries(unit.db, workspaceId, webhookId, page, filter);
  return toList(rows, page, ({ id }) => id, presentDelivery, windowEnd);
}

/** @throws Problem not_found where the event is not there, or the caller may not read it */
export async function listDeliveriesOfEvent(
  unit: ReadUnit,
  workspaceId: string,
  eventId: string,
  scopes: ReadonlySet<Scope>,
  page: Page,
  filter: store.CreatedFilter,
): Promise<List<DeliveryObject>> {
  const event = await getEvent(unit.db, workspaceId, eventId);
  if (!event || !maySeeType(scopes, event.type)) throw notFound('event');
  const rows = await store.listDeliveriesOfEvent(unit.db, workspaceId, eventId, page, filter);
  return toList(rows, page, ({ id }) => id, presentDelivery);
}

async function requireDelivery(unit: ReadUnit, workspaceId: string, id: string): Promise<store.DeliveryRow> {
  const row = await store.getDelivery(unit.db, workspaceId, id);
  if (!row) throw notFound('delivery');
  return row;
}

/** Whether the event is sent unchanged; true for deliveries of a deleted webhook. */
async function goesPlain(unit: ReadUnit, delivery: store.DeliveryRow): Promise<boolean> {
  const webhook = await getWebhook(unit.db, delivery.workspace_id, delivery.webhook_id);
  return !webhook || !isTemplated(formOfRow(webhook), delivery.event_type);
}

/**
 * @param scopes scopes of the caller; bodies are shown only if they allow reading the event @throws Problem not_found
 */
export async function getDelivery(
  unit: ReadUnit,
  workspaceId: string,
  id: string,
  scopes: ReadonlySet<Scope>,
): Promise<DeliveryDetail> {
  const row = await requireDelivery(unit, workspaceId, id);
  const hidden = !maySeeType(scopes, row.event_type);
  const event = hidden ? undefined : await getEvent(unit.db, workspaceId, row.event_id);
  const newest: Page = { limit: NEWEST_ATTEMPTS, after: null };
  const attempts = await store.listAttempts(unit.db, workspaceId, id, newest, {});
  const rendered = attempts.find(({ request_body: body }) => body !== null)?.request_body ?? null;
  const isPlain = !rendered && (await goesPlain(unit, row));
  const body = rendered ?? (event && isPlain ? JSON.stringify(presentEvent(event)) : null);
  return {
    ...presentDelivery(row),
    body: hidden ? null : body,
    body_hidden: hidden,
    body_reason: hidden
      ? 'insufficient_scope'
      : body !== null
        ? null
        : isPlain || !event
          ? 'event_expired'
          : 'not_rendered',
    attempts: attempts.slice(0, NEWEST_ATTEMPTS).map((attempt) => presentAttempt(attempt, hidden)),
  };
}

/** @throws Problem not_found */
export async function listAttempts(
  unit: ReadUnit,
  workspaceId: string,
  id: string,
  scopes: ReadonlySet<Scope>,
  page: Page,
  filter: store.CreatedFilter,
): Promise<List<AttemptObject>> {
  const delivery = await requireDelivery(unit, workspaceId, id);
  const hidden = !maySeeType(scopes, delivery.event_type);
  const rows = await store.listAttempts(unit.db, workspaceId, id, page, filter);
  return toList(
    rows,
    page,
    (row) => row.id,
    (row) => presentAttempt(row, hidden),
  );
}

/** @throws Problem conflict where an earlier event of the same object must be over first */
async function hurry(unit: Unit, workspaceId: string, id: string): Promise<void> {
  const before = await requeueing.goesBefore(unit.db, workspaceId, id);
  if (before !== null)
    throw new Problem(
      'conflict',
      `The webhook delivers in order, and ${publicId('delivery', before)} of the same object goes first. Retry that one.`,
    );
  await requeueing.makeDueNow(unit.db, workspaceId, id);
}

async function sendAgain(unit: Unit, row: store.DeliveryRow, ordered: boolean): Promise<void> {
  if (!mayFollow(presentDelivery(row).status, 'pending'))
    throw new Error(`a ${row.status} delivery cannot go on`);
  if (row.attempts >= requeueing.MAX_ATTEMPTS)
    throw new Problem('unprocessable', `The delivery has reached the maximum of ${row.attempts} attempts.`);
  const put = await requeueing.requeue(unit.db, row.workspace_id, row.webhook_id, ordered, [row.id]);
  if (!put) throw new Problem('event_expired', 'The event of this delivery is no longer stored.');
}

/**
 * Sends now: a pending delivery becomes due, a completed one starts a new run of the schedule. Concurrent calls count
 * as one.
 * @param wakeDeliveries wakes the sender of this process after the commit
 * @throws Problem not_found (also for a deleted webhook), webhook_disabled, conflict, event_expired, unprocessable
 */
export async function retryDelivery(
  unit: Unit,
  workspaceId: string,
  id: string,
  wakeDeliveries: () => void,
): Promise<DeliveryObject> {
  const { webhook_id: webhookId } = await requireDelivery(unit, workspaceId, id);
  const receiver = await requeueing.lockReceiver(unit.db, workspaceId, webhookId);
  if (!receiver) throw new Problem('not_found', 'The webhook of this delivery was deleted.');
  if (!receiver.enabled) throw new Problem('webhook_disabled', 'The webhook is disabled. Enable it first.');
  const row = await requireDelivery(unit, workspaceId, id);
  if (row.claimed) throw new Problem('conflict', 'An attempt is in progress.');
  if (row.status === 'pending') await hurry(unit, workspaceId, id);
  else await sendAgain(unit, row, receiver.ordered);
  unit.afterCommit(wakeDeliveries);
  return presentDelivery(await requireDelivery(unit, workspaceId, id));
}
