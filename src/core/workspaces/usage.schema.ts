/** What a workspace holds and has used, as the API shows it. */
import Type, { type Static } from 'typebox';
import { exampleId, Nullable, Timestamp } from '../../platform/http/schema.ts';

const Count = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description, examples: [example] });

const ResourceUsage = Type.Object({
  resource: Type.String({ description: 'The counted resource.', examples: ['api_keys'] }),
  used: Count('How many the workspace holds.', 3),
  limit: Nullable(Type.Integer({ minimum: 0 }), {
    description: 'Maximum number of the resource; null for no limit.',
    examples: [50],
  }),
});

const ModelUsage = Type.Object({
  actor: Type.String({
    description: 'Id of the key or person that called.',
    examples: [exampleId('api_key')],
  }),
  model: Type.String({ description: 'Id of the model.', examples: ['fairlead/echo'] }),
  requests: Count('Calls.', 12),
  prompt_tokens: Count('Tokens sent.', 340),
  completion_tokens: Count('Tokens answered.', 340),
});

export const Usage = Type.Object(
  {
    object: Type.Literal('usage', { description: 'The type of the object.', examples: ['usage'] }),
    resources: Type.Array(ResourceUsage, { description: 'What the workspace holds now.' }),
    period_start: Timestamp('Since when model calls are summed: the first day of this month, UTC.'),
    models: Type.Array(ModelUsage, {
      description: 'Model calls of this month by caller and model, the 200 largest by tokens.',
    }),
  },
  { title: 'Usage' },
);

export type UsageObject = Static<typeof Usage>;
