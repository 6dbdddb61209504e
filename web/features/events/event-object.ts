import type { EventObject } from '../../api/types.ts';

/** Fields with the display name of an object, best first: a link has a slug, a webhook a description. */
const NAMES = [
  'title',
  'name',
  'subject',
  'contact_name',
  'profile_name',
  'description',
  'slug',
  'domain',
  'email',
  'file_name',
  'url',
  'address',
] as const;
/** Objects without a name belong to one with a name. */
const OWNERS = ['endpoint_id', 'rule_id'] as const;

type Fields = Record<string, unknown>;

const first = (fields: Fields, keys: readonly string[]): string | undefined =>
  keys.map((key) => fields[key]).find((value): value is string => typeof value === 'string' && value !== '');

/** Returns the name of the object an event is about: of a message, the other side. */
export function getObjectName(event: EventObject): string | undefined {
  const { object } = event.data as { object?: Fields };
  if (!object) return undefined;
  if (object['object'] !== 'message') return first(object, NAMES);
  return first(object, [object['direction'] === 'inbound' ? 'from' : 'to']);
}

/** Returns the ID of the endpoint or the rule that a publication or a run is of. */
export function getOwnerId(event: EventObject): string | undefined {
  const { object } = event.data as { object?: Fields };
  return object && first(object, OWNERS);
}

/** Returns the ID of the object an event is about, if it has one. */
export function getObjectId(event: EventObject): string | undefined {
  const { object } = event.data as { object?: unknown };
  if (typeof object !== 'object' || object === null || !('id' in object)) return undefined;
  return typeof object.id === 'string' ? object.id : undefined;
}
