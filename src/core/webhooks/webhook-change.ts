/**
 * Changes a webhook, for all callers: row, endpoint, subscriptions, pending deliveries and events, in one transaction.
 */
import type { Unit } from '../unit/unit-of-work.ts';
import { changedFields } from '../unit/event-writer.ts';
import type { EventType } from '../vocabulary/event-catalog.ts';
import { wakeEndpoint, wakeWaitingDeliveries } from './delivery/delivery-queue.system-store.ts';
import * as receivers from './receiver.store.ts';
import type { WebhookObject } from './webhook.schema.ts';
import * as store from './webhook.store.ts';
import { presentWebhook } from './webhook-present.ts';

type WebhookEvent = Extract<EventType, `webhook.${string}`>;

/** Fields that `webhook.disabled` reports separately. */
const OF_DISABLING = new Set(['enabled', 'disabled_reason', 'disabled_at']);

export const writeWebhookEvent = (
  unit: Unit,
  workspaceId: string,
  type: WebhookEvent,
  webhook: WebhookObject,
  previous?: object,
): Promise<void> =>
  unit.events.write(unit, { workspaceId, type, resourceId: webhook.id, object: webhook, previous });

export const ENABLED = { enabled: true, disabled_reason: null, disabled_at: null };

export const disabledBy = (reason: NonNullable<WebhookObject['disabled_reason']>, now: Date) => ({
  enabled: false,
  disabled_reason: reason,
  disabled_at: now,
});

/**
 * @param before the current row, locked
 * @returns the new row
 */
export async function changeWebhook(
  unit: Unit,
  before: store.WebhookRow,
  change: store.WebhookChange,
): Promise<store.WebhookRow> {
  const workspaceId = before.workspace_id;
  const now = unit.clock();
  const after = await store.updateWebhook(unit.db, workspaceId, before.id, change, now);
  const isAfresh = (after.enabled && !before.enabled) || after.url !== before.url;
  await receivers.updateReceiver(unit.db, workspaceId, after, isAfresh);
  const webhook = presentWebhook(after, now);
  const previous = changedFields(presentWebhook(before, now), webhook);
  const disabled = before.enabled && !after.enabled;
  if (!disabled || Object.keys(previous).some((name) => !OF_DISABLING.has(name)))
    await writeWebhookEvent(unit, workspaceId, 'webhook.updated', webhook, previous);
  // The sender cancels pending deliveries in batches (there may be a million), or resumes them.
  if (after.enabled !== before.enabled)
    await (after.enabled ? wakeWaitingDeliveries : wakeEndpoint)(unit.db, workspaceId, before.id);
  if (disabled) {
    await writeWebhookEvent(unit, workspaceId, 'webhook.disabled', webhook);
  }
  return after;
}
