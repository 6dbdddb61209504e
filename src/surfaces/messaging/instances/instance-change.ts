/**
 * Changes instances for all callers: the row and its event, in one transaction that holds the row's lock. A pairing
 * step emits no event: it is a secret, which `GET …/pairing` returns.
 */
import type { Unit, ReadUnit } from '../../../core/unit/unit-of-work.ts';
import type { EventType } from '../../../core/vocabulary/event-catalog.ts';
import { changedFields } from '../../../core/unit/event-writer.ts';
import type { Drivers } from '../../../channels/contract/driver-registry.ts';
import type { InstanceObject } from './instance.schema.ts';
import * as store from './instance.store.ts';
import { presentInstance } from './instance-present.ts';
import { assertMayFollow, type InstanceState } from './instance-state.ts';

type InstanceEvent = Extract<EventType, `instance.${string}`>;

/** Fields that may change with each failed attempt and alone emit no event. */
const QUIET = new Set(['last_error', 'state_reason']);

async function getQueue(unit: ReadUnit, row: store.InstanceRow): Promise<store.QueueRow> {
  const queues = await store.getQueues(unit.db, row.workspace_id, [row.id]);
  return queues.get(row.id) ?? store.EMPTY_QUEUE;
}

export const showInstance = async (
  unit: ReadUnit,
  drivers: Drivers,
  row: store.InstanceRow,
): Promise<InstanceObject> => presentInstance(row, drivers, await getQueue(unit, row));

export const writeInstanceEvent = (
  unit: Unit,
  workspaceId: string,
  type: InstanceEvent,
  instance: InstanceObject,
  previous?: object,
): Promise<void> =>
  unit.events.write(unit, { workspaceId, type, resourceId: instance.id, object: instance, previous });

/**
 * Changes an instance except for its state.
 * @param before the locked row. @returns the row afterwardswards
 */
export async function changeInstance(
  unit: Unit,
  drivers: Drivers,
  before: store.InstanceRow,
  change: Omit<store.InstanceChange, 'state' | 'state_changed_at'>,
): Promise<store.InstanceRow> {
  const after = await store.updateInstance(unit.db, before.workspace_id, before.id, change);
  const queue = await getQueue(unit, after);
  const instance = presentInstance(after, drivers, queue);
  const previous = changedFields(presentInstance(before, drivers, queue), instance);
  if (Object.keys(previous).some((name) => !QUIET.has(name)))
    await writeInstanceEvent(unit, after.workspace_id, 'instance.updated', instance, previous);
  return after;
}

/**
 * Moves an instance to another state, or updates the reason for the current one.
 * @param before the locked row
 * @param change columns that change with the state: address, restriction, pairing, last error, desired state
 * @returns the row afterwards
 * @throws Error for a transition that does not exist
 */
export async function moveInstance(
  unit: Unit,
  drivers: Drivers,
  before: store.InstanceRow,
  to: InstanceState,
  reason: string | null,
  change: Omit<store.InstanceChange, 'state' | 'state_reason' | 'state_changed_at'> = {},
): Promise<store.InstanceRow> {
  const from = before.state as InstanceState;
  const all = { ...change, state_reason: reason };
  if (from === to) return changeInstance(unit, drivers, before, all);
  assertMayFollow(from, to);
  const after = await store.updateInstance(unit.db, before.workspace_id, before.id, {
    ...all,
    state: to,
    state_changed_at: unit.clock(),
  });
  const queue = await getQueue(unit, after);
  const instance = presentInstance(after, drivers, queue);
  const previous = changedFields(presentInstance(before, drivers, queue), instance);
  await writeInstanceEvent(unit, after.workspace_id, 'instance.state_changed', instance, previous);
  return after;
}
