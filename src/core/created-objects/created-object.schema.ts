/** Created objects as the API shows them. */
import Type, { type Static } from 'typebox';
import {
  createdFilters,
  Enum,
  exampleId,
  toListSchema,
  ListQuery,
  Timestamp,
} from '../../platform/http/schema.ts';
import { CREATED_TYPES } from './created-kind.ts';

export const CreatedObject = Type.Object(
  {
    object: Type.Literal('created_object', {
      description: 'The type of this entry.',
      examples: ['created_object'],
    }),
    id: Type.String({ description: 'ID of the object.', examples: [exampleId('webhook')] }),
    type: Enum(CREATED_TYPES, { description: 'What the object is.', examples: ['webhook'] }),
    name: Type.String({
      description: 'Name of the object. For a webhook, its description or the host of its URL.',
      examples: ['Order mirror'],
    }),
    enabled: Type.Boolean({
      description:
        'Whether it is in use: an active API key, a connected instance, anything else that is enabled.',
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

/** What the lists show, as their descriptions put it. */
export const CREATED_OBJECTS =
  'API keys, webhooks, inspectors, instances, publishing endpoints and rules: whatever takes in or calls out on its own, and so goes on after its creator ended. Includes what the API keys among them created. Shows the kinds that you may read.';

export const CreatedObjects = toListSchema(CreatedObject);

/** Query parameters of a list of created objects. */
export const CreatedObjectList = ListQuery({
  enabled: Type.Optional(
    Type.Boolean({ description: 'Only those that are, or are not, in use.', examples: [true] }),
  ),
  ...createdFilters,
});

export type CreatedObjectQuery = Static<typeof CreatedObjectList>;
export type CreatedObjectEntry = Static<typeof CreatedObject>;
