/**
 * Removes an erased contact from data that the API has shown (events, stored responses). Pure.
 *
 * An object that names the contact by an ID or an address in a member is about the contact: the object of an event
 * keeps only its ID, and a nested object (a participant, a reaction, a destination) is removed. Free text stays,
 * because others wrote it.
 */
import type { PersonalData } from './person.ts';

/** Members that contain a person's address. */
const ADDRESS_MEMBERS = new Set(['address', 'author', 'from', 'normalised', 'recipient', 'to']);

const GONE = Symbol('gone');

type Members = Record<string, unknown>;

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the redacted form of an object about an erased contact. */
interface ErasedObject {
  id: unknown;
  object: unknown;
  erased: true;
}

export const erasedObject = (object: Members): ErasedObject => ({
  id: object['id'] ?? null,
  object: object['object'] ?? null,
  erased: true,
});

const isErased = (object: unknown): boolean => isObject(object) && object['erased'] === true;

/** Whether an event was emptied. One that says that something is deleted says so with its ID alone. */
export const isErasedEvent = (event: { type: string; data: Members }): boolean =>
  isErased(event.data['object']) && !event.type.endsWith('.deleted');

function createWalk({ ids, addresses }: PersonalData) {
  /** @param instanceId of the object around; null where that is of none */
  const isTheirs = (value: unknown, instanceId: string | null): boolean => {
    if (typeof value !== 'string') return false;
    const instances = addresses.get(value);
    return instances !== undefined && (instanceId === null || instances.has(instanceId));
  };
  const getInstance = (object: Members, around: string | null): string | null =>
    typeof object['instance_id'] === 'string' ? object['instance_id'] : around;
  const names = (object: Members, around: string | null): boolean => {
    const instanceId = getInstance(object, around);
    return Object.entries(object).some(
      ([name, value]) =>
        (typeof value === 'string' && ids.has(value)) ||
        (ADDRESS_MEMBERS.has(name) && isTheirs(value, instanceId)),
    );
  };
  const members = (object: Members, around: string | null): Members => {
    const instanceId = getInstance(object, around);
    let changed = false;
    const entries = Object.entries(object).map(([name, value]) => {
      const named =
        name === 'mentions' && Array.isArray(value) && value.some((one) => isTheirs(one, instanceId));
      const rest: unknown = named ? value.filter((one) => !isTheirs(one, instanceId)) : value;
      const cleaned = walk(rest, instanceId);
      if (cleaned !== value) changed = true;
      return [name, cleaned === GONE ? null : cleaned] as const;
    });
    return changed ? Object.fromEntries(entries) : object;
  };
  const walk = (value: unknown, around: string | null): unknown => {
    if (typeof value === 'string') return ids.has(value) ? GONE : value;
    if (Array.isArray(value)) {
      const cleaned = value.map((item) => walk(item, around)).filter((item) => item !== GONE);
      return cleaned.length === value.length && cleaned.every((item, nth) => item === value[nth])
        ? value
        : cleaned;
    }
    if (!isObject(value) || isErased(value)) return value;
    return names(value, around) ? GONE : members(value, around);
  };
  return { names, members, walk, getInstance };
}

/**
 * @param data data of an event
 * @returns the remaining data; null if it contains nothing about the contact
 */
export function redactData(data: Members, traces: PersonalData): Members | null {
  const { names, members, walk, getInstance } = createWalk(traces);
  const { object, ...also } = data;
  if (!isObject(object) || isErased(object)) return null;
  if (names(object, null)) return { object: erasedObject(object) };
  const instanceId = getInstance(object, null);
  const left = members(object, null);
  let changed = left !== object;
  const rest = Object.entries(also).map(([name, value]) => {
    const cleaned = walk(value, instanceId);
    if (cleaned !== value) changed = true;
    return [name, cleaned !== GONE ? cleaned : name === 'previous_attributes' ? {} : null] as const;
  });
  return changed ? { object: left, ...Object.fromEntries(rest) } : null;
}

/**
 * @param body body of a response: an object or a list
 * @returns the remaining body; null if it contains nothing about the contact
 */
export function redactAnswer(body: Members, traces: PersonalData): Members | null {
  const { names, members } = createWalk(traces);
  if (isErased(body)) return null;
  if (names(body, null)) return { ...erasedObject(body) };
  const left = members(body, null);
  return left === body ? null : left;
}
