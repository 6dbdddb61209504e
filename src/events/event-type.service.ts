/** The catalogues as the API shows them: for field pickers, the console and the documentation. */
import { exampleId } from '../http/schema.ts';
import { notFound } from '../http/problem.ts';
import { CATALOGUE, EVENT_TYPES, type EventType, isEventType } from './catalogue.ts';
import type { EventKind } from './event-kind.ts';
import { API_VERSION, eventSchemaOf, type EventTypeShown, liveEventSchemaOf } from './event.schema.ts';
import { isLiveType, LIVE_CATALOGUE, LIVE_TYPES, type LiveType } from './live-catalogue.ts';

const SAMPLE_SEQUENCE = 412;

function present(type: string, kind: EventKind, streamOnly: boolean): EventTypeShown {
  const { surface, scope, description, data, sample, onDemand = false } = kind;
  const schema = streamOnly ? liveEventSchemaOf(type, data) : eventSchemaOf(type, data);
  return {
    id: type,
    object: 'event_type',
    surface,
    scope,
    stream_only: streamOnly,
    on_demand: onDemand,
    description,
    schema: schema as Record<string, unknown>,
    sample: {
      id: streamOnly ? null : exampleId('event'),
      object: 'event',
      type,
      created_at: '2026-01-15T09:30:00.000Z',
      workspace_id: exampleId('workspace'),
      sequence: streamOnly ? null : SAMPLE_SEQUENCE,
      api_version: API_VERSION,
      truncated: false,
      caused_by: null,
      data: sample,
    },
  };
}

const presentStored = (type: EventType): EventTypeShown => present(type, CATALOGUE[type], false);
const presentLive = (type: LiveType): EventTypeShown => present(type, LIVE_CATALOGUE[type], true);

export const listEventTypes = (): EventTypeShown[] => [
  ...EVENT_TYPES.map(presentStored),
  ...LIVE_TYPES.map(presentLive),
];

/** @throws Problem not_found */
export function getEventType(type: string): EventTypeShown {
  if (isEventType(type)) return presentStored(type);
  if (isLiveType(type)) return presentLive(type);
  throw notFound('event type');
}
