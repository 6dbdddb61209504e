import type { EventObject } from '../../api/types.ts';

/** Id of the object that an event tells of, where it has one. */
export function objectIdOf(event: EventObject): string | undefined {
  const { object } = event.data as { object?: unknown };
  if (typeof object !== 'object' || object === null || !('id' in object)) return undefined;
  return typeof object.id === 'string' ? object.id : undefined;
}
