/** Operations on the event log and its catalogue. */
import { requireUuid } from '../../platform/http/ids.ts';
import { type Operation, operation } from '../api/operation.ts';
import { getPage, toCompleteList } from '../../platform/http/pagination.ts';
import { IdParams, toListSchema } from '../../platform/http/schema.ts';
import { Event, EventList, EventStreamQuery, EventTypeObject, EventTypeParams } from './event.schema.ts';
import * as service from './event.service.ts';
import type { EventTypes } from './event-type.service.ts';
import { type StreamDeps, streamEvents } from './stream/event-stream.ts';

const time = (text: string | undefined): Date | undefined =>
  text === undefined ? undefined : new Date(text);

const streamExample = ({ get }: EventTypes): string =>
  `retry: 2000\nid: 411\n\nid: 412\ndata: ${JSON.stringify(get('member.added').sample)}\n\n: still here\n\n`;

export const eventOperations = (deps: StreamDeps & { eventTypes: EventTypes }): Operation[] => [
  operation(
    {
      id: 'events.list',
      method: 'GET',
      path: '/events',
      tag: 'Events',
      summary: 'List events',
      description:
        'Newest first; with `after_sequence` in order, so that a reader who passes the last `sequence` it has misses none. Types that your scopes do not let you read are left out. Events are kept for 30 days.',
      access: 'events:read',
      query: EventList,
      success: { status: 200, description: 'A page of events.', schema: toListSchema(Event) },
      errors: ['sequence_expired'],
    },
    async ({ actor, query, unit }) => {
      const page = getPage(query, service.isEventCursor);
      const body = await service.listEvents(unit, actor.workspaceId, page, {
        types: service.wantedTypes(actor.scopes, query.type),
        afterSequence: query.after_sequence ?? null,
        resourceId: query.resource_id,
        createdAfter: time(query.created_after),
        createdBefore: time(query.created_before),
      });
      return { body };
    },
  ),
  operation(
    {
      id: 'events.stream',
      method: 'GET',
      path: '/events/stream',
      tag: 'Events',
      summary: 'Follow events live',
      description:
        'Server-sent events: `data` is the event, `id` its sequence. After a break send the last `id` as `Last-Event-ID` (browsers do so by themselves) and none is missed. Begins with what comes from now on, or behind `after_sequence`. `chat.typing` and `contact.presence` come here alone: they are not stored, have no `id` and no `sequence` (both null), and whoever is not connected misses them. A comment every 15 s keeps the connection open; the stream ends within a second when the key is revoked. Where events that you have not read yet were dropped, an event named `error` tells so and the stream ends.',
      access: 'events:read',
      query: EventStreamQuery,
      success: {
        status: 200,
        description: 'The stream, until you close it.',
        example: streamExample(deps.eventTypes),
      },
      errors: ['sequence_expired'],
      produces: ['text/event-stream'],
    },
    async ({ actor, query, request, reply }) => {
      await streamEvents(deps, {
        request,
        reply,
        actor,
        wanted: service.wantedOnStream(actor.scopes, query.type),
        afterSequence: query.after_sequence ?? null,
      });
      return 'handled' as const;
    },
  ),
  operation(
    {
      id: 'events.get',
      method: 'GET',
      path: '/events/{id}',
      tag: 'Events',
      summary: 'Get an event',
      access: 'events:read',
      params: IdParams('event'),
      success: { status: 200, description: 'The event.', schema: Event },
    },
    async ({ actor, params, unit }) => {
      const id = requireUuid('event', params.id);
      return { body: await service.getEvent(unit, actor.workspaceId, id, actor.scopes) };
    },
  ),
  operation(
    {
      id: 'event_types.list',
      method: 'GET',
      path: '/event-types',
      tag: 'Events',
      summary: 'List event types',
      description:
        'The whole catalogue: what happens, who may see it, and its JSON Schema with a sample. Types that are `stream_only` come on `GET /events/stream` alone: the log does not keep them, and no webhook can have them.',
      access: 'actor',
      success: { status: 200, description: 'All event types.', schema: toListSchema(EventTypeObject) },
    },
    () => ({ body: toCompleteList(deps.eventTypes.list()) }),
  ),
  operation(
    {
      id: 'event_types.get',
      method: 'GET',
      path: '/event-types/{type}',
      tag: 'Events',
      summary: 'Get an event type',
      access: 'actor',
      params: EventTypeParams,
      success: { status: 200, description: 'The event type.', schema: EventTypeObject },
    },
    ({ params }) => ({ body: deps.eventTypes.get(params.type) }),
  ),
];
