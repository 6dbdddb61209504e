/** API schemas of models, in OpenAI's shape. */
import Type from 'typebox';
import { Nullable } from '../../../platform/http/schema.ts';
import { ModelPrice } from '../providers/price.schema.ts';

export const Model = Type.Object(
  {
    id: Type.String({ description: '`provider/model` or `route/name`.', examples: ['fairlead/echo'] }),
    object: Type.Literal('model', { description: 'Always `model`.', examples: ['model'] }),
    created: Type.Integer({
      description: 'Unix time in seconds when the model was released, or added if that is not known.',
      examples: [1767225600],
    }),
    owned_by: Type.String({ description: 'The owner.', examples: ['fairlead'] }),
    context_length: Nullable(Type.Integer(), {
      description: 'Context length in tokens, if known.',
      examples: [32768],
    }),
    modalities: Nullable(
      Type.Object({
        input: Type.Array(Type.String(), { description: 'Input modalities.', examples: [['text']] }),
        output: Type.Array(Type.String(), { description: 'Output modalities.', examples: [['text']] }),
      }),
      { description: 'Input and output modalities, if known.' },
    ),
    capabilities: Type.Array(Type.String(), {
      description: 'Known capabilities, such as `tools`, `vision` or `embeddings`.',
      examples: [['chat', 'streaming']],
    }),
    provider_id: Nullable(Type.String(), {
      description: 'Model provider of the workspace; null for built-in models and routes.',
      examples: [null],
    }),
    pricing: Nullable(ModelPrice, {
      description: 'Price in USD per million tokens, if known; null for routes.',
      examples: [
        {
          input: 0,
          output: 0,
          cached_input: 0,
          cache_write: null,
          cache_write_1h: null,
          request: null,
          search: null,
        },
      ],
    }),
  },
  { title: 'Model' },
);

export const ModelParams = Type.Object({
  id: Type.String({
    maxLength: 300,
    description: 'The model ID as `provider/model`. Slashes may be percent-encoded.',
    examples: ['fairlead/echo'],
  }),
});
