/** Chooses the connections that a cycle of the sender claims for, and how much. */
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
  let left = capacity - open.reduce((sum, { claimed }) => sum + claimed.size, -certain.length);
  left = Math.min(left, max);
  const chosen: { slot: ConnectionSlot; free: number }[] = [];
  for (const slot of slots.values()) {
    const ended = completions.get(slot)?.length ?? 0;
    if (left <= 0) break;
    if (!slot.isRecovered || (ended === 0 && slot.nextScanAt > now) || !isOpen(slot)) continue;
    const free = Math.min(getFreeSlots(slot, ended), Math.max(8, Math.floor(left / 2)), left);
    if (free <= 0) {
      scheduleScan(slot, 0, 0);
      continue;
    }
    chosen.push({ slot, free });
    // An estimate: capacity that this scan does not use is available to the next cycle.
    left -= Math.min(free, 8);
  }
  for (const { slot } of chosen) {
    slots.delete(slot.held.instanceId);
    slots.set(slot.held.instanceId, slot);
  }
  return chosen;
}
