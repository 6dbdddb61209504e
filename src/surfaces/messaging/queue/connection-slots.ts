/**
 * The slots of the connections that this node holds. A slot leaves only once no row of it is active or can become so,
 * unless the connection belongs to another node.
 */
import type { ConnectionLease } from '../connections/connection-lease.ts';
import { type ConnectionSlot, createConnectionSlot } from './connection-slot.ts';

export interface ConnectionSlots {
  /** By instance. */
  readonly all: Map<string, ConnectionSlot>;
  /** Whether the slot is still the one of its instance. */
  isCurrent(slot: ConnectionSlot): boolean;
  /** Replaces the instance's slot. */
  attach(held: ConnectionLease): ConnectionSlot;
  /** Resolves once the instance's slot has drained. Nothing is started on it any more. */
  detach(instanceId: string): Promise<void>;
  remove(slot: ConnectionSlot): void;
  removeIfDrained(slot: ConnectionSlot): void;
  /** The transaction that claimed for these responded. */
  finishClaim(claiming: readonly ConnectionSlot[]): void;
  /** Returns the number of active rows. */
  sending(): number;
}

/** @param forget drops what is kept for a slot that leaves */
export function createConnectionSlots(forget: (slot: ConnectionSlot) => void): ConnectionSlots {
  const all = new Map<string, ConnectionSlot>();
  const isCurrent = (slot: ConnectionSlot): boolean => all.get(slot.held.instanceId) === slot;
  const remove = (slot: ConnectionSlot): void => {
    if (isCurrent(slot)) all.delete(slot.held.instanceId);
    forget(slot);
    slot.onDrained?.();
  };
  const removeIfDrained = (slot: ConnectionSlot): void => {
    if (slot.onDrained && !slot.claimed.size && !slot.isClaiming) remove(slot);
  };
  return {
    all,
    isCurrent,
    attach(held) {
      const before = all.get(held.instanceId);
      if (before) remove(before);
      const slot = createConnectionSlot(held);
      all.set(held.instanceId, slot);
      return slot;
    },
    detach(instanceId) {
      const slot = all.get(instanceId);
      if (!slot) return Promise.resolve();
      return new Promise((resolve) => {
        const first = slot.onDrained;
        slot.onDrained = () => {
          first?.();
          resolve();
        };
        removeIfDrained(slot);
      });
    },
    remove,
    removeIfDrained,
    finishClaim(claiming) {
      for (const slot of claiming) {
        slot.isClaiming = false;
        removeIfDrained(slot);
      }
    },
    sending: () => [...all.values()].reduce((sum, { claimed }) => sum + claimed.size, 0),
  };
}
