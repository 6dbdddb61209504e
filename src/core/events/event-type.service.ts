/** The event catalog as the API shows it: for field pickers, the console and the documentation. */
import { notFound } from '../../platform/http/problem.ts';
import { exampleId } from '../api/id-schema.ts';
import {
  CATALOG,
  type CatalogEntry,
  EVENT_TYPES,
  type EventType,
  isEventType,
} from '../vocabulary/event-catalog.ts';
import type { EventKind } from './event-kind.ts';
import {
  API_VERSION,
  getEventSchema,
  type EventTypeShown,
  type ListedEventTypeShown,
  getLiveEventSchema,
} from './event.schema.ts';
import { isLiveType, LIVE_CATALOG, LIVE_TYPES, type LiveType } from '../vocabulary/live-catalog.ts';

const SAMPLE_SEQUENCE = 412;

/** The payload of every type in both catalogs. */
export type EventKinds = Record<EventType | LiveType, EventKind>;

export interface EventTypes {
  /** Lists all types, those of the log first. */
  list(details: boolean): ListedEventTypeShown[];
  /** @throws Problem not_found */
  get(type: string): EventTypeShown;
}

function present(
  type: string,
  { surface, scope, onDemand = false }: CatalogEntry,
  { description, data, sample }: EventKind,
  streamOnly: boolean,
): EventTypeShown {
  const schema = streamOnly ? getLiveEventSchema(type, data) : getEventSchema(type, data);
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

function withoutDetails(type: EventTypeShown): ListedEventTypeShown {
  const { schema: _, sample: __, ...listed } = type;
  return listed;
}

export function createEventTypes(kinds: EventKinds): EventTypes {
  const stored = (type: EventType): EventTypeShown => present(type, CATALOG[type], kinds[type], false);
  const live = (type: LiveType): EventTypeShown => present(type, LIVE_CATALOG[type], kinds[type], true);
  return {
    list(details) {
      const all = [...EVENT_TYPES.map(stored), ...LIVE_TYPES.map(live)];
      return details ? all : all.map(withoutDetails);
    },
    get(type) {
      if (isEventType(type)) return stored(type);
      if (isLiveType(type)) return live(type);
      throw notFound('event type');
    },
  };
}
