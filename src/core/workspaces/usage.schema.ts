/** The schema of a workspace's usage. */
import Type, { type Static } from 'typebox';
import { exampleId } from '../api/id-schema.ts';
import { Nullable, Timestamp } from '../../platform/http/schema.ts';

const Count = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description, examples: [example] });

const ResourceUsage = Type.Object({
  resource: Type.String({ description: 'The counted resource.', examples: ['api_keys'] }),
  used: Count('Current number of the resource; the sum of sizes in bytes for `media_bytes`.', 3),
  limit: Nullable(Type.Integer({ minimum: 0 }), {
    description: 'Maximum number of the resource, in bytes for `media_bytes`; null for no limit.',
    examples: [50],
  }),
});

const ModelUsage = Type.Object({
  actor: Type.String({
    description: 'ID of the API key or user that sent the calls.',
    examples: [exampleId('api_key')],
  }),
  model: Type.String({ description: 'ID of the model.', examples: ['fairlead/echo'] }),
  requests: Count('Number of calls.', 12),
  prompt_tokens: Count('Number of input tokens.', 340),
  completion_tokens: Count('Number of output tokens.', 340),
});

export const Usage = Type.Object(
  {
    object: Type.Literal('usage', { description: 'The type of the object.', examples: ['usage'] }),
    resources: Type.Array(ResourceUsage, { description: 'The resources of the workspace.' }),
    period_start: Timestamp('Start of the period: the first day of the current month, in UTC.'),
    models: Type.Array(ModelUsage, {
      description:
        'Model usage of the current month by caller and model: the 200 entries with the most tokens.',
    }),
  },
  { title: 'Usage' },
);

export type UsageObject = Static<typeof Usage>;
