/** Schemas of `POST /embeddings`. https://platform.openai.com/docs/api-reference/embeddings */
import Type, { type Static } from 'typebox';
import { Maybe, ModelField, Open, UserField } from './open-schema.ts';

export const EmbeddingBody = Open(
  {
    model: ModelField,
    input: Type.Union(
      [
        Type.String(),
        Type.Array(Type.String()),
        Type.Array(Type.Number()),
        Type.Array(Type.Array(Type.Number())),
        Type.Array(Open({}, { description: 'Another form of input.' })),
      ],
      {
        description: 'A text or a list of texts; or token IDs, for one text or several.',
        examples: [['Hello!', 'Goodbye!']],
      },
    ),
    encoding_format: Maybe(Type.String(), '`float` or `base64`.', 'float'),
    dimensions: Maybe(Type.Number(), 'Length of the vectors, if the model supports it.', 64),
    user: UserField,
  },
  {
    title: 'EmbeddingRequest',
    description: 'As in the OpenAI API. Further fields are passed to the model unchanged.',
  },
);
export type EmbeddingBody = Static<typeof EmbeddingBody>;

const Embedding = Open(
  {
    object: Type.String({ description: 'Always `embedding`.', examples: ['embedding'] }),
    index: Type.Number({ description: 'Position of the input.', examples: [0] }),
    embedding: Type.Union([Type.Array(Type.Number()), Type.String()], {
      description: 'The vector. With `base64`: its 32-bit floats, little-endian.',
      examples: [[0.6, 0.8]],
    }),
  },
  { title: 'Embedding', description: 'The vector of an input.' },
);

export const EmbeddingList = Open(
  {
    object: Type.String({ description: 'Always `list`.', examples: ['list'] }),
    data: Type.Array(Embedding, { description: 'The vectors, in the order of the inputs.' }),
    model: Type.String({
      description: "The provider's name of the model that generated the vectors.",
      examples: ['fairlead/echo'],
    }),
    usage: Maybe(
      Open(
        {
          prompt_tokens: Type.Number({ description: 'Input tokens.', examples: [4] }),
          total_tokens: Type.Number({ description: 'All tokens.', examples: [4] }),
        },
        { title: 'EmbeddingUsage', description: 'Token usage.' },
      ),
      'Token usage, if the provider reports it.',
      { prompt_tokens: 4, total_tokens: 4 },
    ),
  },
  { title: 'EmbeddingList', description: 'The vectors of the inputs.' },
);

export const EMBEDDING_EXAMPLE = {
  object: 'list',
  data: [{ object: 'embedding', index: 0, embedding: [0.6, 0.8] }],
  model: 'fairlead/echo',
  usage: { prompt_tokens: 4, total_tokens: 4 },
};
