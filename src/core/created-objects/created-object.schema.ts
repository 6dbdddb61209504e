/** Created objects as the API shows them. */
import Type, { type Static } from 'typebox';
import { createdFilters, Enum, toListSchema, ListQuery, Timestamp } from '../../platform/http/schema.ts';
import { exampleId } from '../api/id-schema.ts';
import { CREATED_TYPES } from './created-kind.ts';

export const CreatedObject = Type.Object(
  {
    object: Type.Literal('created_object', {
      description: 'The type of this entry.',
      examples: ['created_object'],
    }),
    id: Type.String({ description: 'ID of the object.', examples: [exampleId('webhook')] }),
    type: Enum(CREATED_TYPES, { description: 'Type of the object.', examples: ['webhook'] }),
    name: Type.String({
      description: 'Name of the object. For a webhook, its description or the host of its URL.',
      examples: ['Order mirror'],
    }),
    enabled: Type.Boolean({
      description:
        'Whether the object is in use: an API key is active, an instance is connected, and any other object is enabled.',
      examples: [true],
    }),
    created_by: Type.String({
      description: 'ID of the API key or person that created it.',
      examples: [exampleId('api_key')],
    }),
    created_at: Timestamp('When it was created.'),
  },
  { title: 'CreatedObject' },
);

/** The objects in the lists, as worded in their descriptions. */
export const CREATED_OBJECTS =
  'Returns the API keys, webhooks, inspectors, instances, publishing endpoints and rules that were created, because these keep working after their creator is removed or revoked. Includes objects that the created API keys created. Only kinds that your scopes let you read are returned.';

export const CreatedObjects = toListSchema(CreatedObject);

/** Query parameters of a list of created objects. */
export const CreatedObjectList = ListQuery({
  enabled: Type.Optional(
    Type.Boolean({ description: 'Only objects that are (or are not) enabled.', examples: [true] }),
  ),
  ...createdFilters,
});

export type CreatedObjectQuery = Static<typeof CreatedObjectList>;
export type CreatedObjectEntry = Static<typeof CreatedObject>;
