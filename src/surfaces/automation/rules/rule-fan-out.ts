/**
 * Queues events for rules, in the transaction that appends them to the log: one lookup per batch, and one insert if any
 * rule matches. Evaluates nothing and waits for no lock.
 */
import { newUuid } from '../../../platform/http/ids.ts';
import { BatchTooLarge, type FanOut, type Sequenced } from '../../../core/events/sequencer.system-store.ts';
import { isSuppressed } from './rule-chain.ts';
import * as store from './rule-fan-out.system-store.ts';

/** Maximum rows queued per transaction; a larger batch of events is split. */
const MAX_QUEUED = 20_000;
const PART = 5_000;

const getKey = ({ workspace_id, type }: { workspace_id: string; type: string }) => `${workspace_id} ${type}`;

const queuedFor = (event: Sequenced, ruleId: string): store.NewQueued => ({
  id: newUuid(),
  workspace_id: event.workspace_id,
  rule_id: ruleId,
  event_id: event.id,
  position: event.sequence,
  order_key: event.resource_id,
  replay_of: null,
});

/**
 * Creates the fan-out.
 * @param onQueued called when rows were queued; the transaction is still open
 */
export function createRuleFanOut(onQueued: () => void): FanOut {
  return async (tx, events) => {
    const wanted = [...new Map(events.map((event) => [getKey(event), event])).values()];
    const found = await store.findRules(tx, wanted);
    if (!found.length) return;
    const rules = Map.groupBy(found, getKey);
    const queued = [...events]
      .sort((a, b) => a.sequence - b.sequence)
      .flatMap((event) =>
        (rules.get(getKey(event)) ?? [])
          .filter(({ rule_id: ruleId }) => !isSuppressed(event.type, event.chain, ruleId))
          .map(({ rule_id: ruleId }) => queuedFor(event, ruleId)),
      );
    if (queued.length > MAX_QUEUED && events.length > 1) throw new BatchTooLarge();
    for (let from = 0; from < queued.length; from += PART)
      await store.insertQueued(tx, queued.slice(from, from + PART));
    if (queued.length) onQueued();
  };
}
