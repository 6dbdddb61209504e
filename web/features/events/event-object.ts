import type { EventObject } from '../../api/types.ts';

/** Returns the ID of the object an event is about, if it has one. */
export function getObjectId(event: EventObject): string | undefined {
  const { object } = event.data as { object?: unknown };
  if (typeof object !== 'object' || object === null || !('id' in object)) return undefined;
  return typeof object.id === 'string' ? object.id : undefined;
}
