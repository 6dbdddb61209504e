/**
 * Chooses the connections that a cycle of the sender claims for, and how much. The capacity of this node is shared among
 * persons, with a reserve for those that hold none of it (fair-slots.ts).
 */
import { divideSlots } from '../../../platform/limits/fair-slots.ts';
import type { Completion } from './completion-queue.ts';
import { isOpen, type ConnectionSlot, scheduleScan, getFreeSlots } from './connection-slot.ts';

/**
 * Chooses connections that have free slots and are due for a scan. Chosen ones move behind all others.
 * @param completing what the same transaction completes
 * @param capacity maximum active rows of this node
 * @param max maximum rows claimed at once
 */
export function chooseEligibleConnections(
  slots: Map<string, ConnectionSlot>,
  completing: readonly Completion[],
  capacity: number,
  max: number,
): { slot: ConnectionSlot; free: number }[] {
  const now = performance.now();
  // Completions that were postponed may be so again, so they still hold their slots.
  const certain = completing.filter(({ slot }) => slot.busy === null);
  const completions = Map.groupBy(certain, ({ slot }) => slot);
  // Connections whose queue is locked hold no capacity of the others.
  const open = [...slots.values()].filter(({ busy }) => busy === null);
  const getActive = (slot: ConnectionSlot): number =>
    slot.claimed.size - (completions.get(slot)?.length ?? 0);
  const active = new Map<string, number>();
  for (const slot of open) active.set(slot.person, (active.get(slot.person) ?? 0) + getActive(slot));
  const free = capacity - [...active.values()].reduce((sum, count) => sum + count, 0);

  const due: { slot: ConnectionSlot; free: number }[] = [];
  for (const slot of slots.values()) {
    const ended = completions.get(slot)?.length ?? 0;
    if (!slot.isRecovered || (ended === 0 && slot.nextScanAt > now) || !isOpen(slot)) continue;
    const own = getFreeSlots(slot, ended);
    if (own > 0) due.push({ slot, free: own });
    else scheduleScan(slot, 0, 0);
  }
  const persons = [...Map.groupBy(due, ({ slot }) => slot.person)];
  const given = divideSlots(
    capacity,
    Math.min(free, capacity),
    persons.map(([person, all]) => ({
      held: active.get(person) ?? 0,
      wanted: all.reduce((sum, one) => Math.min(max, sum + one.free), 0),
    })),
  );
  const shares = new Map(persons.map(([person], n) => [person, given[n]!]));

  let left = Math.min(free, max);
  const chosen: { slot: ConnectionSlot; free: number }[] = [];
  for (const { slot, free: own } of due) {
    if (left <= 0) break;
    const share = shares.get(slot.person)!;
    const most = Math.min(own, Math.max(8, Math.floor(Math.min(left, share) / 2)), left, share);
    if (most <= 0) continue;
    chosen.push({ slot, free: most });
    // An estimate: capacity that this scan does not use is available to the next cycle.
    left -= Math.min(most, 8);
    // Not an estimate: capacity of hanging sends can't be reclaimed.
    shares.set(slot.person, share - most);
  }
  for (const { slot } of chosen) {
    slots.delete(slot.held.instanceId);
    slots.set(slot.held.instanceId, slot);
  }
  return chosen;
}
