/** Events and event types as the API shows them. */
import Type, { type Static } from 'typebox';
import {
  CommaList,
  createdFilters,
  Enum,
  ListQuery,
  Nullable,
  Strict,
  Timestamp,
} from '../../platform/http/schema.ts';
import { exampleId, objectFields } from '../api/id-schema.ts';
import { SURFACE_NAMES } from '../vocabulary/nouns.ts';

export const API_VERSION = 'v1';

const envelope = {
  ...objectFields('event', 'event'),
  created_at: Timestamp('When the event happened.'),
  workspace_id: Type.String({
    description: 'ID of the workspace.',
    examples: [exampleId('workspace')],
  }),
  sequence: Type.Integer({
    minimum: 1,
    description:
      'Position in the event log of the workspace: 1, 2, 3 … without gaps. Callers who may not read every type see gaps.',
    examples: [412],
  }),
  api_version: Type.Literal(API_VERSION, {
    description: 'Version of the schema of `data`.',
    examples: [API_VERSION],
  }),
  truncated: Type.Boolean({
    description:
      'Whether `data` exceeded 256 KiB and its large fields were truncated. Retrieve the object for the full values.',
    examples: [false],
  }),
  caused_by: Nullable(Type.Array(Type.String()), {
    description: 'The rules that caused the event, starting with the first; null if no rule caused it.',
    examples: [null],
  }),
};

/** The members that all event types have. */
export const EventEnvelope = Type.Object(envelope, { title: 'EventEnvelope' });

export const Event = Type.Object(
  {
    ...envelope,
    type: Type.String({
      description: 'Type of the event. `GET /event-types` lists all types.',
      examples: ['api_key.created'],
    }),
    data: Type.Record(Type.String(), Type.Unknown(), {
      description:
        'The `object` after the change and, for updates, its `previous_attributes`. `GET /event-types/{type}` returns the schema. If the event is about an erased contact, `data` contains only `{object: {id, object, erased: true}}`.',
      examples: [{ object: { id: exampleId('api_key'), object: 'api_key', name: 'Production site' } }],
    }),
  },
  { title: 'Event' },
);

const AnyJson = (description: string, example: object) =>
  Type.Record(Type.String(), Type.Unknown(), { description, examples: [example] });

const eventTypeFields = {
  id: Type.String({ description: 'The name of the type.', examples: ['member.added'] }),
  object: Type.Literal('event_type', { description: 'The type of the object.', examples: ['event_type'] }),
  surface: Enum(SURFACE_NAMES, {
    description: 'Product area of the event type. Types of models were in `getting_started` before.',
    examples: ['getting_started'],
  }),
  scope: Type.String({
    description: 'Scope required to read events of this type.',
    examples: ['members:read'],
  }),
  stream_only: Type.Boolean({
    description:
      'Whether the type is sent only on `GET /events/stream`. Such events are not stored or sent to webhooks.',
    examples: [false],
  }),
  on_demand: Type.Boolean({
    description: 'Whether the type is written only while a webhook, rule or open stream subscribes to it.',
    examples: [false],
  }),
  description: Type.String({
    description: 'When the event is sent.',
    examples: ['A person became a member of the workspace.'],
  }),
};
const Schema = AnyJson('JSON Schema of the whole event.', { type: 'object' });
const Sample = AnyJson('A complete example of the event.', {
  id: exampleId('event'),
  object: 'event',
  type: 'member.added',
});

export const EventTypeObject = Type.Object(
  { ...eventTypeFields, schema: Schema, sample: Sample },
  { title: 'EventType' },
);

/** A type in the list, which may be asked for without its details. */
export const ListedEventType = Type.Object(
  { ...eventTypeFields, schema: Type.Optional(Schema), sample: Type.Optional(Sample) },
  { title: 'ListedEventType' },
);

export const EventTypeList = Strict({
  details: Type.Optional(
    Type.Boolean({
      default: true,
      description:
        'Whether to include `schema` and `sample`, which make up most of the response. Without them, get those of one type with `GET /event-types/{type}`.',
      examples: [false],
    }),
  ),
});

const TypeFilter = Type.Optional(
  CommaList('Only these event types. `message.*` means all types that start with `message.`.', {
    maxLength: 2000,
    examples: ['api_key.*,member.added'],
  }),
);

const AfterSequence = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'The last sequence that you have; 0 for the start.',
  examples: [412],
});

export const EventList = ListQuery({
  type: TypeFilter,
  resource_id: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Only events of this object.',
      examples: [exampleId('api_key')],
    }),
  ),
  after_sequence: Type.Optional({
    ...AfterSequence,
    description:
      'Returns events in ascending order after this sequence; 0 for the start. 410 if that range is no longer stored.',
  }),
  ...createdFilters,
});

export const EventStreamQuery = Strict({
  type: TypeFilter,
  after_sequence: Type.Optional({
    ...AfterSequence,
    description:
      'Start after this sequence. The header `Last-Event-ID` takes precedence. Without either, only new events are sent.',
  }),
});

export const EventTypeParams = Strict({
  type: Type.String({ maxLength: 100, description: 'Name of the type.', examples: ['member.added'] }),
});

/** JSON Schema of an event of one type. */
export const getEventSchema = (type: string, data: object): object => ({
  ...Type.Object({ ...envelope, type: Type.Literal(type) }, { title: type }),
  properties: { ...envelope, type: { const: type }, data },
  required: [...Object.keys(envelope), 'type', 'data'],
});

/** Returns the same schema for a type that is only on the stream: it is not stored, so it has no ID and no sequence. */
export const getLiveEventSchema = (type: string, data: object): object => ({
  ...Type.Object({ ...envelope, type: Type.Literal(type) }, { title: type }),
  properties: {
    ...envelope,
    id: { type: 'null' },
    sequence: { type: 'null' },
    type: { const: type },
    truncated: { const: false },
    caused_by: { type: 'null' },
    data,
  },
  required: [...Object.keys(envelope), 'type', 'data'],
});

export type EventObject = Static<typeof Event>;
export type EventTypeShown = Static<typeof EventTypeObject>;
export type ListedEventTypeShown = Static<typeof ListedEventType>;
