/** Operations on the event log and its catalog. */
import { requireUuid } from '../../vocabulary/ids.ts';
import { type Operation, operation } from '../../api/operation.ts';
import { getPage, toCompleteList } from '../../../platform/http/pagination.ts';
import { IdParams } from '../../api/id-schema.ts';
import { toListSchema } from '../../../platform/http/schema.ts';
import {
  Event,
  EventList,
  EventStreamQuery,
  EventTypeList,
  EventTypeObject,
  ListedEventType,
  EventTypeParams,
} from '../event.schema.ts';
import * as service from '../event.service.ts';
import type { EventTypes } from '../event-type.service.ts';
import { type StreamDeps, streamEvents } from './event-stream.ts';

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
        "Returns events, newest first. With `after_sequence`, events are in ascending order: pass the last `sequence` that you received to get all later events. Events that your scopes don't let you read are omitted. Events are stored for 30 days.",
      access: 'events:read',
      query: EventList,
      success: {
        status: 200,
        description: 'A page of events.',
        schema: toListSchema(Event),
        example: toCompleteList([deps.eventTypes.get('member.added').sample]),
      },
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
      summary: 'Stream events',
      description:
        'Streams events as server-sent events: `data` is the event and `id` its sequence. To resume after a disconnect without missing events, send the last `id` as `Last-Event-ID`; browsers do this automatically. The stream starts with new events, or after `after_sequence`. `chat.typing` and `contact.presence` are sent only on this stream: they are not stored, and their `id` and `sequence` are null. A comment every 15 seconds keeps the connection open. The stream ends within a second after the key is revoked. If events that you have not received are no longer stored, an event named `error` is sent and the stream ends.',
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
      success: {
        status: 200,
        description: 'The event.',
        schema: Event,
        example: deps.eventTypes.get('member.added').sample,
      },
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
        'Returns all event types with their required scope, JSON Schema and a sample. `stream_only` types are sent only on `GET /events/stream`. They are not stored or sent to webhooks.',
      access: 'actor',
      query: EventTypeList,
      success: { status: 200, description: 'All event types.', schema: toListSchema(ListedEventType) },
    },
    ({ query }) => ({ body: toCompleteList(deps.eventTypes.list(query.details ?? true)) }),
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
