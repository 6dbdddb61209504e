/** Normalizes addresses from callers, and takes the locks required before they are assigned to a contact. */
import type { Unit } from '../../../core/unit/unit-of-work.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { type FieldError, Problem } from '../../../platform/http/problem.ts';
import { InvalidAddressError } from '../../../channels/contract/driver-error.ts';
import { type Json } from '../../../channels/contract/json.ts';
import type { Drivers } from '../../../channels/contract/driver-registry.ts';
import { getDriver } from '../instances/instance-input.ts';
import { readAddress } from '../records/address.ts';
import { noSuch, toFieldProblem } from '../records/message-problems.ts';
import { type SendingInstance, instancesById } from '../records/sending-instance.store.ts';
import { lockQueue } from '../records/queue-row.store.ts';
import type { IdentityInputBody } from './contact.schema.ts';
import { type IdentityRow, keyOfIdentity } from './contact.store.ts';

export interface AddressDeps {
  drivers: Drivers;
}

/** @returns the normalized address, or why it is invalid */
export function toChannelAddress(
  { drivers }: AddressDeps,
  instance: SendingInstance,
  address: string,
): string | InvalidAddressError {
  try {
    return readAddress(getDriver(drivers, instance.channel), instance.settings as Json, address);
  } catch (error) {
    if (error instanceof InvalidAddressError) return error;
    throw error;
  }
}

/** @throws Problem not_found */
export async function requireInstance(
  unit: Unit,
  workspaceId: string,
  id: string,
  pointer = '/instance_id',
): Promise<SendingInstance> {
  const uuid = toUuid('instance', id)!;
  const instance = (await instancesById(unit.db, workspaceId, [uuid])).get(uuid);
  if (!instance) throw noSuch('instance', pointer);
  return instance;
}

/**
 * Normalizes addresses with the channels of their instances, without duplicates.
 * @param toPointer pointer of the nth address in the body
 * @throws Problem not_found, invalid_address, invalid_request, each with all field errors
 */
export async function getIdentities(
  unit: Unit,
  deps: AddressDeps,
  workspaceId: string,
  given: readonly IdentityInputBody[],
  toPointer = (nth: number): string => `/identities/${nth}`,
): Promise<IdentityRow[]> {
  const ids = given.map(({ instance_id: id }) => toUuid('instance', id)!);
  const instances = await instancesById(unit.db, workspaceId, [...new Set(ids)]);
  const faults: FieldError[] = [];
  const identities = new Map<string, IdentityRow>();
  for (const [nth, { address }] of given.entries()) {
    const instance = instances.get(ids[nth]!);
    if (!instance) throw noSuch('instance', `${toPointer(nth)}/instance_id`);
    const found = toChannelAddress(deps, instance, address);
    if (typeof found !== 'string') {
      const pointer = `${toPointer(nth)}/address`;
      faults.push({ pointer, code: 'invalid_address', detail: found.message });
      continue;
    }
    const identity = { instance_id: instance.id, address: found };
    identities.set(keyOfIdentity(identity), identity);
  }
  if (faults.length) throw toFieldProblem(faults);
  return [...identities.values()];
}

/** Locks the instances on which addresses are added or removed, in ID order. @throws Problem conflict */
export async function lockInstances(
  unit: Unit,
  workspaceId: string,
  ids: Iterable<string>,
): Promise<Set<string>> {
  const sorted = [...new Set(ids)].toSorted();
  for (const id of sorted)
    if (!(await lockQueue(unit.db, workspaceId, id)))
      throw new Problem('conflict', 'An instance was deleted during the request. Try again.');
  return new Set(sorted);
}

/** Creates the problem to throw if the state changed before the lock was taken. */
export function changedMeanwhile(): Problem {
  return new Problem('conflict', 'The contact was changed at the same time. Try again.');
}
