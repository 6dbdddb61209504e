/**
 * Reads the person that a webhook is about. Meta identifies a person by phone number (`wa_id`, `from`), by a
 * business-scoped user ID and by that of a parent business; a person with a username may have no number. Any of these
 * fields may be missing, and a user ID may replace a number.
 */
import type { Json } from '../contract/json.ts';
import type { SamePersonSignal } from '../contract/signal.ts';
import { isOwnUserId, isUserId, readPersonAddress } from './address.ts';
import { type JsonObject, readObject, readObjects, readText } from './fields.ts';

/** Of the texts that every part of a change repeats. */
const MAX_TEXT = 200;
const CONTACT_IDS = ['wa_id', 'user_id', 'parent_user_id'];

/** Fields that identify a person in an item of a webhook, without those of the account. */
const FIELDS = {
  from: ['from', 'from_user_id', 'from_parent_user_id'],
  to: ['to', 'to_user_id', 'to_parent_user_id'],
  recipient: ['recipient_id', 'recipient_user_id', 'recipient_parent_user_id'],
  participant: [
    'wa_id',
    'input',
    'user_id',
    'recipient_user_id',
    'parent_user_id',
    'parent_recipient_user_id',
    'recipient_parent_user_id',
  ],
  /** Without `input`, which repeats the request. */
  answer: ['wa_id', 'user_id'],
  contact: ['phone_number', 'wa_id', 'user_id', 'parent_user_id'],
} as const;
type Naming = keyof typeof FIELDS;

export interface Person {
  /** All that are known: numbers first. At least one. */
  addresses: [string, ...string[]];
  name: string | null;
  /** null: has none. Undefined: not reported. */
  username?: string | null;
}

/** Returns the fields of a webhook's contact that are read. They are stored with every item that names the contact. */
export function readContact(contact: JsonObject): JsonObject {
  const profile = readObject(contact['profile']);
  const fields = Object.fromEntries(CONTACT_IDS.map((field) => [field, readText(contact[field])]));
  const all = { ...fields, name: readText(profile?.['name']), username: readText(profile?.['username']) };
  return Object.fromEntries(
    Object.entries(all).flatMap(([field, value]) =>
      value === null ? [] : [[field, value.slice(0, MAX_TEXT)] as const],
    ),
  );
}

const readIds = (item: JsonObject, fields: readonly string[]): string[] =>
  fields.flatMap((field) => readText(item[field]) ?? []);

/** Of the lists in which an item names two: the account is the other. */
const NAMING: { [list: string]: Naming } = {
  messages: 'from',
  message_echoes: 'to',
  statuses: 'recipient',
};

/**
 * Returns the contact of an item; for an item without a person, the only contact.
 * @param list name of the list that contains the item
 */
export function findContact(item: JsonObject, contacts: Json | undefined, list: string): JsonObject | null {
  const all = readObjects(contacts).map(readContact);
  const isAmong = (contact: JsonObject, ids: readonly string[]): boolean =>
    readIds(contact, CONTACT_IDS).some((id) => ids.includes(id));
  const every = readIds(item, [...FIELDS.from, ...FIELDS.to, ...FIELDS.recipient]);
  const naming = NAMING[list];
  const named = naming ? readIds(item, FIELDS[naming]) : every;
  const found = all.find((contact) => isAmong(contact, named));
  const isOnly = named.length === 0 && all.length === 1 && !isAmong(all[0]!, every);
  return found ?? (isOnly ? all[0]! : null);
}

/** @param contact as `readContact` returns it */
export function readPerson(
  item: JsonObject,
  naming: Naming,
  contact: JsonObject | null = null,
): Person | null {
  const ids = [...readIds(item, FIELDS[naming]), ...readIds(contact ?? {}, CONTACT_IDS)];
  const found = [...new Set(ids.flatMap((id) => readPersonAddress(id) ?? []))];
  const [first, ...others] = [...found.filter((address) => !isUserId(address)), ...found.filter(isUserId)];
  if (first === undefined) return null;
  const told = contact ?? (item['profile'] === undefined ? null : readContact(item));
  return {
    addresses: [first, ...others],
    name: readText(told?.['name']),
    // A person with a username has it in every webhook with a profile.
    ...(told?.['name'] === undefined && told?.['username'] === undefined
      ? {}
      : { username: readText(told['username']) }),
  };
}

/** A number may get another owner some time after it was given up. A user ID always belongs to the same person. */
export function getReassignable(
  addresses: readonly string[],
  former: readonly string[] = [],
): Pick<SamePersonSignal, 'reassignable'> {
  const numbers = addresses.filter((address) => !isUserId(address));
  if (!numbers.length || !addresses.some(isOwnUserId)) return {};
  const own = new Set([...addresses, ...former]);
  return {
    reassignable: {
      addresses: numbers,
      isAnothers: (address) => isOwnUserId(address) && !own.has(address),
    },
  };
}

/** Says that the addresses of a person are one's. */
export const toSamePerson = ({ addresses }: Person): SamePersonSignal[] =>
  addresses.length > 1 ? [{ kind: 'same_person', addresses, ...getReassignable(addresses) }] : [];
