/** API schemas of models and completions in OpenAI's shapes. */
import Type from 'typebox';
import { Nullable } from '../../platform/http/schema.ts';

export const Model = Type.Object(
  {
    id: Type.String({ description: '`provider/model`.', examples: ['fairlead/echo'] }),
    object: Type.Literal('model', { description: 'Always `model`.', examples: ['model'] }),
    created: Type.Integer({ description: 'Unix time in seconds.', examples: [1767225600] }),
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
      description: 'Capabilities, if known.',
      examples: [['chat', 'streaming']],
    }),
    provider_id: Nullable(Type.String(), {
      description: 'Model provider of the workspace; null for the built-in one.',
      examples: [null],
    }),
  },
  { title: 'Model' },
);

export const ModelParams = Type.Object({
  id: Type.String({
    maxLength: 300,
    description: '`provider/model`, the slash plain or percent-encoded.',
    examples: ['fairlead/echo'],
  }),
});

const Message = Type.Object(
  {
    role: Type.String({ maxLength: 50, description: 'system, user, assistant …', examples: ['user'] }),
    content: Type.Optional(
      Type.Union(
        [
          Type.String(),
          Type.Array(
            Type.Object({ type: Type.String({ description: 'The kind of part.', examples: ['text'] }) }),
          ),
          Type.Null(),
        ],
        {
          description: 'Text, or a list of parts.',
          examples: ['Hello!'],
        },
      ),
    ),
  },
  { description: 'A message of the conversation.' },
);

export const ChatBody = Type.Object(
  {
    model: Type.String({
      minLength: 1,
      maxLength: 300,
      description: 'Id of the model.',
      examples: ['fairlead/echo'],
    }),
    messages: Type.Array(Message, {
      minItems: 1,
      maxItems: 10_000,
      description: 'The conversation so far.',
      examples: [[{ role: 'user', content: 'Hello!' }]],
    }),
    stream: Type.Optional(
      Type.Union([Type.Boolean(), Type.Null()], {
        description: 'Stream the response as server-sent events.',
        examples: [false],
      }),
    ),
    stream_options: Type.Optional(
      Type.Union(
        [
          Type.Object({
            include_usage: Type.Optional(
              Type.Union([Type.Boolean(), Type.Null()], {
                description: 'Send the usage in a last chunk.',
                examples: [true],
              }),
            ),
          }),
          Type.Null(),
        ],
        { description: 'Only with `stream`.', examples: [null] },
      ),
    ),
  },
  { description: 'As in the OpenAI API. Other fields are passed to the model unchanged.' },
);

export const ChatAnswer = Type.Unsafe<object>(
  Type.Object(
    {
      id: Type.String({ description: 'Id of the completion.', examples: ['chatcmpl-4f1c2a'] }),
      object: Type.String({ description: 'Always `chat.completion`.', examples: ['chat.completion'] }),
      created: Type.Integer({ description: 'Unix time in seconds.', examples: [1767225600] }),
      model: Type.String({ description: 'The model that answered.', examples: ['fairlead/echo'] }),
      choices: Type.Array(Type.Any(), {
        description: 'The generated choices.',
        examples: [[{ index: 0, message: { role: 'assistant', content: 'Hello!' }, finish_reason: 'stop' }]],
      }),
      usage: Type.Any({
        description: 'Tokens used.',
        examples: [{ prompt_tokens: 2, completion_tokens: 2, total_tokens: 4 }],
      }),
    },
    { title: 'ChatCompletion', additionalProperties: true },
  ),
);
