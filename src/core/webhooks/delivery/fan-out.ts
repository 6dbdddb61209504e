/**
 * From events to deliveries, in the transaction that enters the events into the log: so each event has a delivery to
 * every webhook that wanted it when it was sequenced, or is not in the log yet. A batch costs two statements, three
 * where webhooks with filters take part, however many events it has; only where there are thousands of deliveries they
 * are inserted in parts, since the transaction holds up everybody's events: it must neither last long nor stand idle.
 */
import { newUuid } from '../../../platform/http/ids.ts';
import { toUuid } from '../../vocabulary/ids.ts';
import { BatchTooLarge, type FanOut, type Sequenced } from '../../events/sequencer.system-store.ts';
import { insertDeliveries, type NewDelivery } from './delivery-queue.system-store.ts';
import * as store from './fan-out.system-store.ts';
import { hasFilters } from './matching.ts';

/** More than this of a batch of events are not made in one transaction. */
const MAX_DELIVERIES = 20_000;
const PART = 5_000;

interface Match {
  event: Sequenced;
  subscription: store.Subscription;
}

const getKey = ({ workspace_id, type }: { workspace_id: string; type: string }) => `${workspace_id} ${type}`;

function deliveryTo(event: Sequenced, webhookId: string, ordered: boolean): NewDelivery {
  return {
    id: newUuid(),
    workspace_id: event.workspace_id,
    webhook_id: webhookId,
    event_id: event.id,
    event_type: event.type,
    position: event.sequence,
    order_key: ordered ? event.resource_id : null,
  };
}

/** Returns every matching pair of event and webhook once. @throws BatchTooLarge */
function getPairs(events: Sequenced[], subscriptions: store.Subscription[]): Match[] {
  const byType = new Map<string, Map<string, store.Subscription>>();
  for (const subscription of subscriptions) {
    const key = getKey(subscription);
    const webhooks = byType.get(key) ?? new Map<string, store.Subscription>();
    byType.set(key, webhooks.set(subscription.webhook_id, subscription));
  }
  const count = events.reduce((sum, event) => sum + (byType.get(getKey(event))?.size ?? 0), 0);
  if (count > MAX_DELIVERIES && events.length > 1) throw new BatchTooLarge();
  return events.flatMap((event) =>
    [...(byType.get(getKey(event))?.values() ?? [])].map((subscription) => ({ event, subscription })),
  );
}

/** @param onQueued called when deliveries were made; their transaction is still running. */
export function createFanOut(onQueued: () => void): FanOut {
  return async (tx, sequenced) => {
    const events = [...sequenced].sort((a, b) => a.sequence - b.sequence);
    const pings = events.filter(({ type }) => type === 'ping');
    const others = events.filter(({ type }) => type !== 'ping');
    const deliveries: NewDelivery[] = [];

    const wanted = [...new Map(others.map((event) => [getKey(event), event])).values()];
    if (wanted.length) {
      const pairs = getPairs(others, await store.findSubscriptions(tx, wanted));
      const filtered = pairs.filter(({ subscription }) => hasFilters(subscription));
      const passed = new Set<string>();
      if (filtered.length)
        for (const { event_id, webhook_id } of await store.passing(
          tx,
          filtered.map(({ event, subscription }) => ({ ...subscription, event_id: event.id })),
        ))
          passed.add(`${event_id} ${webhook_id}`);
      for (const { event, subscription } of pairs)
        if (!hasFilters(subscription) || passed.has(`${event.id} ${subscription.webhook_id}`))
          deliveries.push(deliveryTo(event, subscription.webhook_id, subscription.ordered));
    }

    // A ping is for the webhook that it was requested for, regardless of its subscriptions.
    const pinged = pings.map((event) => ({ event, webhook: toUuid('webhook', event.resource_id ?? '') }));
    const ids = pinged.flatMap(({ webhook }) => webhook ?? []);
    if (ids.length) {
      const found = new Map((await store.findPinged(tx, ids)).map((receiver) => [receiver.id, receiver]));
      for (const { event, webhook } of pinged) {
        const receiver = found.get(webhook ?? '');
        if (receiver?.workspace_id === event.workspace_id)
          deliveries.push(deliveryTo(event, receiver.id, receiver.ordered));
      }
    }

    if (!deliveries.length) return;
    for (let from = 0; from < deliveries.length; from += PART)
      await insertDeliveries(tx, deliveries.slice(from, from + PART));
    onQueued();
  };
}
