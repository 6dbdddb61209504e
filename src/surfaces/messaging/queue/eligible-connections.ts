/** Which connections a turn of the sender claims for, and how much. */
import type { Ending } from './ended.ts';
import { isOpen, type ConnectionSlot, scheduleScan, getFreeSlots } from './connection-slot.ts';

/**
 * Chooses those that are worth a look and have room; who had its look stands behind all others then.
 * @param settling what is settled in the same transaction
 * @param capacity rows under way on this node
 * @param max rows claimed at once
 */
export function chooseEligibleConnections(
  lanes: Map<string, ConnectionSlot>,
  settling: readonly Ending[],
  capacity: number,
  max: number,
): { lane: ConnectionSlot; free: number }[] {
  const now = performance.now();
  // What was passed over may be so again: it still has its room, else ever more would be claimed beside it.
  const surely = settling.filter(({ lane }) => lane.busy === null);
  const ending = Map.groupBy(surely, ({ lane }) => lane);
  // It has its own room alone: else some that are locked would take that of all others.
  const open = [...lanes.values()].filter(({ busy }) => busy === null);
  let room = capacity - open.reduce((sum, { claimed }) => sum + claimed.size, -surely.length);
  room = Math.min(room, max);
  const chosen: { lane: ConnectionSlot; free: number }[] = [];
  for (const lane of lanes.values()) {
    const settled = ending.get(lane)?.length ?? 0;
    if (room <= 0) break;
    if (!lane.isRecovered || (settled === 0 && lane.lookAt > now) || !isOpen(lane)) continue;
    const free = Math.min(getFreeSlots(lane, settled), Math.max(8, Math.floor(room / 2)), room);
    if (free <= 0) {
      scheduleScan(lane, 0, 0);
      continue;
    }
    chosen.push({ lane, free });
    // A guess: what a look asked for and did not get is there for the next turn.
    room -= Math.min(free, 8);
  }
  // Who had its look stands behind all others.
  for (const { lane } of chosen) {
    lanes.delete(lane.held.instanceId);
    lanes.set(lane.held.instanceId, lane);
  }
  return chosen;
}
