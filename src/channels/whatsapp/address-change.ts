/**
 * Reads changes of a person's number or user ID. Meta reports them with a `system` message, whose `system` contains the
 * new value, and with `user_id_update`.
 */
import { isUserId, readPersonAddress } from './address.ts';
import { type JsonObject, readObject, readText } from './fields.ts';
import { readPerson } from './person.ts';

export interface AddressChange {
  /** The person's new addresses. At least one. */
  addresses: string[];
  /** The person's former addresses. */
  former: string[];
}

/** Matches the change at the end. The text before it contains a name that the person chose. */
const CHANGED = /changed from (\S{1,200}) to (\S{1,200}?)\.?$/;
const NUMBER_TYPES = new Set(['user_changed_number', 'customer_changed_number']);
const ID_TYPE = 'user_changed_user_id';

const toChange = (addresses: readonly string[], former: readonly string[]): AddressChange | null =>
  addresses.length
    ? {
        addresses: [...new Set(addresses)],
        former: [...new Set(former)].filter((one) => !addresses.includes(one)),
      }
    : null;

const read = (item: JsonObject | null, fields: readonly string[]): string[] =>
  fields.flatMap((field) => readPersonAddress(readText(item?.[field])) ?? []);

/** Returns the previous user ID, which is only in the text. */
function readPrevious(body: string | null, current: readonly string[]): string[] {
  const [, previous, next] = CHANGED.exec(body ?? '') ?? [];
  const [from, to] = [previous, next].map((id) => readPersonAddress(id ?? null));
  return from && to && isUserId(from) && current.includes(to) ? [from] : [];
}

/** Returns null if the message reports no such change. */
export function readSystemChange(message: JsonObject): AddressChange | null {
  const system = message['type'] === 'system' ? readObject(message['system']) : null;
  const type = readText(system?.['type']) ?? '';
  const before = readPerson(message, 'from')?.addresses ?? [];
  if (NUMBER_TYPES.has(type)) {
    const now = read(system, ['new_wa_id', 'wa_id', 'user_id', 'parent_user_id']);
    // Without a new address, the former one is kept.
    return now.some((address) => !isUserId(address))
      ? toChange(now, [...before, ...read(system, ['customer', 'previous_user_id'])])
      : null;
  }
  if (type !== ID_TYPE) return null;
  const now = read(system, ['user_id', 'parent_user_id']);
  if (!now.length) return null;
  const [numbers, ids] = [before.filter((one) => !isUserId(one)), before.filter(isUserId)];
  const previous = [
    ...read(system, ['previous_user_id']),
    ...readPrevious(readText(system!['body']), now),
    ...ids,
  ];
  return toChange([...numbers, ...read(system, ['wa_id']), ...now], previous);
}

/** Returns null for an item without a person. @param contact as `readContact` returns it */
export function readUserIdUpdate(item: JsonObject, contact: JsonObject | null): AddressChange | null {
  const changes = ['user_id', 'parent_user_id'].map((field) => readObject(item[field]));
  const each = (when: 'previous' | 'current'): string[] => changes.flatMap((change) => read(change, [when]));
  return toChange(
    [...read(item, ['wa_id']), ...read(contact, ['wa_id']), ...each('current')],
    each('previous'),
  );
}
