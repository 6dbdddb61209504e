/**
 * The event catalog as OpenAPI: a webhook and a schema for each type, and `Event` as their union, discriminated by
 * `type`.
 */
import type { DocumentPart } from '../api/openapi.ts';
import type { Hoist } from '../api/openapi-schemas.ts';
import { toPascalCase } from '../../platform/http/schema.ts';
import { CATALOG, EVENT_TYPES, type EventType } from '../vocabulary/event-catalog.ts';
import type { EventKind } from './event-kind.ts';
import { isErasable } from './erasable.ts';
import { EventEnvelope } from './event.schema.ts';

type Json = Record<string, unknown>;

interface ObjectSchema extends Json {
  title?: string;
  properties: Record<string, Json>;
}

const ERASED = {
  type: 'object',
  description: 'What remains of an event about an erased contact.',
  required: ['object'],
  properties: {
    object: {
      type: 'object',
      description: 'The object that the event was about.',
      required: ['id', 'object', 'erased'],
      properties: {
        id: {
          type: ['string', 'null'],
          description: 'ID of the object.',
          examples: ['con_01h2xcejqtf2nbrexx3vqjhp41'],
        },
        object: { type: ['string', 'null'], description: 'The type of the object.', examples: ['contact'] },
        erased: { type: 'boolean', const: true, description: 'Always true.', examples: [true] },
      },
    },
  },
};

const HEADERS = [
  ['webhook-id', 'ID of the event, the same on every attempt.', 'evt_01h2xcejqtf2nbrexx3vqjhp41'],
  ['webhook-timestamp', 'Time of the attempt in seconds since 1970.', '1768469400'],
  [
    'webhook-signature',
    '`v1,` and the base64 HMAC-SHA256 of `id.timestamp.body` with the secret of the webhook. After a rotation there are two, separated by a space.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ],
] as const;

const parameterName = (header: string): string => `${toPascalCase(header.replaceAll('-', '_'))}Header`;

const DESCRIPTION = 'A change in the workspace. `type` says what `data` holds.';

/** `chat.updated` → `ChatUpdatedEvent` */
const schemaName = (type: EventType): string => `${toPascalCase(type.replaceAll('.', '_'))}Event`;

const ref = (kind: string, name: string): Json => ({ $ref: `#/components/${kind}/${name}` });

const ANNOTATIONS = new Set(['description', 'examples', 'default', 'pattern', 'format']);

/** Distinguishes a property named like an annotation from an annotation. */
const isSchema = (part: unknown): boolean =>
  part !== null && typeof part === 'object' && !Array.isArray(part);

/** Reduces a schema to its types. */
function toTypes(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toTypes);
  if (schema === null || typeof schema !== 'object') return schema;
  const parts = Object.entries(schema).filter(([name, part]) => !ANNOTATIONS.has(name) || isSchema(part));
  return Object.fromEntries(parts.map(([name, part]) => [name, toTypes(part)]));
}

/** Returns the properties of an object, each optional, without descriptions, which are under components. */
function toPreviousAttributes({ title }: ObjectSchema, schemas: Json): Json {
  const { properties } = schemas[title!] as ObjectSchema;
  return {
    type: 'object',
    description: `Previous values of the changed fields. See ${title} for their meaning.`,
    properties: toTypes(properties),
  };
}

/** The schema of `data`: under components, unless it has members that only this type has. */
function toData({ data }: EventKind, canBeErased: boolean, hoist: Hoist, schemas: Json): Json {
  const { properties, required } = data as unknown as ObjectSchema;
  const object = properties['object'] as ObjectSchema;
  const members = Object.entries(properties).map(([name, schema]) => {
    if (name === 'object') {
      // The object's own description is under components.
      const { description, ...rest } = schema;
      const { title } = object;
      return [name, title === undefined ? hoist({ ...rest, description }) : hoist(rest)];
    }
    if (name !== 'previous_attributes') return [name, hoist(schema)];
    const previous = `${object.title}PreviousAttributes`;
    schemas[previous] ??= toPreviousAttributes(object, schemas);
    return [name, ref('schemas', previous)];
  });
  const whole = { type: 'object', required, properties: Object.fromEntries(members) };
  const schema = canBeErased ? { anyOf: [whole, ref('schemas', 'ErasedEventData')] } : whole;
  const described = { description: 'The object that changed.', ...schema };
  const others = Object.keys(properties).filter(
    (name) => name !== 'object' && name !== 'previous_attributes',
  );
  if (others.length > 0 || object.title === undefined) return described;
  const name = `${object.title}${'previous_attributes' in properties ? 'UpdateEventData' : 'EventData'}`;
  schemas[name] ??= described;
  return ref('schemas', name);
}

/** @param kinds the payload of every type that webhooks receive */
export const describeEvents =
  (kinds: Record<EventType, EventKind>): DocumentPart =>
  (hoist, known) => {
    const schemas: Json = known;
    const envelope = hoist(EventEnvelope);
    schemas['ErasedEventData'] = ERASED;
    for (const type of EVENT_TYPES) {
      schemas[schemaName(type)] = {
        allOf: [
          envelope,
          {
            type: 'object',
            required: ['type', 'data'],
            properties: {
              type: { type: 'string', const: type, description: 'Type of the event.' },
              data: toData(kinds[type], isErasable(type), hoist, schemas),
            },
          },
        ],
      };
    }
    schemas['Event'] = {
      description: DESCRIPTION,
      oneOf: EVENT_TYPES.map((type) => ref('schemas', schemaName(type))),
      discriminator: {
        propertyName: 'type',
        mapping: Object.fromEntries(
          EVENT_TYPES.map((type) => [type, `#/components/schemas/${schemaName(type)}`]),
        ),
      },
    };
    const parameters = HEADERS.map(([name, description, example]) => [
      parameterName(name),
      { name, in: 'header', required: true, description, example, schema: { type: 'string' } },
    ]);
    const webhooks = EVENT_TYPES.map((type) => [
      type,
      {
        post: {
          operationId: type,
          summary: type,
          description: `${kinds[type].description}\n\n- **Scope** \`${CATALOG[type].scope}\``,
          tags: ['Webhooks'],
          security: [],
          parameters: HEADERS.map(([name]) => ref('parameters', parameterName(name))),
          requestBody: {
            required: true,
            content: { 'application/json': { schema: ref('schemas', schemaName(type)) } },
          },
          responses: { '2XX': ref('responses', 'WebhookReceived') },
        },
      },
    ]);
    return {
      webhooks: Object.fromEntries(webhooks),
      parameters: Object.fromEntries(parameters),
      responses: {
        WebhookReceived: {
          description:
            'Your receiver has the event. Fairlead ignores the body. After any other status it retries, but 410 disables the webhook.',
        },
      },
    };
  };
