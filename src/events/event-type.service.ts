/** The catalogue as the API shows it: for field pickers, the console and the documentation. */
import { exampleId } from '../http/schema.ts';
import { notFound } from '../http/problem.ts';
import { CATALOGUE, EVENT_TYPES, type EventType, isEventType } from './catalogue.ts';
import { API_VERSION, eventSchemaOf, type EventTypeShown } from './event.schema.ts';

function present(type: EventType): EventTypeShown {
  const { surface, scope, description, data, sample } = CATALOGUE[type];
  return {
    id: type,
    object: 'event_type',
    surface,
    scope,
    description,
    schema: eventSchemaOf(type, data) as Record<string, unknown>,
    sample: {
      id: exampleId('event'),
      object: 'event',
      type,
      created_at: '2026-01-15T09:30:00.000Z',
      workspace_id: exampleId('workspace'),
      sequence: 412,
      api_version: API_VERSION,
      truncated: false,
      data: sample,
    },
  };
}

export const listEventTypes = (): EventTypeShown[] => EVENT_TYPES.map(present);

/** @throws Problem not_found */
export function getEventType(type: string): EventTypeShown {
  if (!isEventType(type)) throw notFound('event type');
  return present(type);
}
