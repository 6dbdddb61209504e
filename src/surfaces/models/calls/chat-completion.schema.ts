/** Schemas of `POST /chat/completions`. https://platform.openai.com/docs/api-reference/chat */
import Type, { type Static } from 'typebox';
import { Nullable } from '../../../platform/http/schema.ts';
import {
  CallMetadata,
  InputTokenDetails,
  JsonSchema,
  Maybe,
  MaybeAny,
  ModelField,
  Open,
  OutputTokenDetails,
  StreamField,
  UserField,
} from './open-schema.ts';

const ContentPart = Open(
  {
    type: Type.String({
      description: 'The type of the part, such as `text`, `image_url`, `input_audio` or `file`.',
      examples: ['text'],
    }),
    text: Maybe(Type.String(), 'The text of a `text` part.', 'What is in this image?'),
    image_url: Type.Optional(
      Type.Unknown({
        description: 'The image of an `image_url` part: `url` (an address or a `data:` URL) and `detail`.',
        examples: [{ url: 'https://example.com/cat.png', detail: 'auto' }],
      }),
    ),
    input_audio: MaybeAny('The audio of an `input_audio` part: Base64 `data` and `format`.', null),
    file: MaybeAny('The file of a `file` part: `file_id`, or `filename` and `file_data`.', null),
  },
  { title: 'ChatContentPart', description: 'A part of a message.' },
);

/** In a request. Providers differ in what they need, so that nothing is required. */
const ToolCallInput = Open(
  {
    id: Maybe(Type.String(), 'ID of the tool call.', 'call_4f1c2a'),
    type: Maybe(Type.String(), 'The type of the tool.', 'function'),
    function: Type.Optional(
      Open(
        {
          name: Maybe(Type.String(), 'Name of the function.', 'get_weather'),
          arguments: MaybeAny('The arguments, as a string of JSON.', '{"city":"Oslo"}'),
        },
        { description: 'The function to call.', examples: [{ name: 'get_weather', arguments: '{}' }] },
      ),
    ),
  },
  { title: 'ChatToolCallInput', description: 'A tool call that the model made earlier.' },
);

const ChatMessage = Open(
  {
    role: Type.String({
      maxLength: 50,
      description: 'The author: `system`, `developer`, `user`, `assistant` or `tool`.',
      examples: ['user'],
    }),
    content: Type.Optional(
      Type.Union([Type.String(), Type.Array(ContentPart), Type.Null()], {
        description: 'Text, or a list of parts. Null if an assistant message has only tool calls.',
        examples: ['Hello!'],
      }),
    ),
    name: Maybe(Type.String(), 'Name of the author.', 'alice'),
    tool_calls: Maybe(Type.Array(ToolCallInput), 'The tool calls of an assistant message.', null),
    tool_call_id: Maybe(Type.String(), 'Of a `tool` message: the call that it responds to.', 'call_4f1c2a'),
    refusal: Maybe(Type.String(), 'Why the model refused to respond.', null),
  },
  { title: 'ChatMessage', description: 'A message of the conversation.' },
);

const ChatTool = Open(
  {
    type: Maybe(Type.String(), 'The type of the tool.', 'function'),
    function: Maybe(
      Open(
        {
          name: Type.String({ description: 'Name of the function.', examples: ['get_weather'] }),
          description: Maybe(Type.String(), 'What the function does.', 'Returns the weather of a city.'),
          parameters: JsonSchema('JSON Schema of the arguments.'),
          strict: Maybe(Type.Boolean(), 'Whether arguments always match the schema.', false),
        },
        { description: 'A function.' },
      ),
      'A function that the model can call.',
      { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
    ),
  },
  { title: 'ChatTool', description: 'A tool that the model can call.' },
);

const ResponseFormat = Open(
  {
    type: Type.String({ description: '`text`, `json_object` or `json_schema`.', examples: ['json_schema'] }),
    json_schema: Maybe(
      Open(
        {
          name: Maybe(Type.String(), 'Name of the format.', 'city'),
          schema: JsonSchema('JSON Schema of the response.'),
          strict: Maybe(Type.Boolean(), 'Whether the response always matches the schema.', true),
        },
        { description: 'A JSON schema.' },
      ),
      'With `json_schema`: the schema.',
      { name: 'city', schema: { type: 'object', properties: { city: { type: 'string' } } } },
    ),
  },
  { description: 'The format of the response.' },
);

export const ChatCompletionBody = Open(
  {
    model: ModelField,
    messages: Type.Array(ChatMessage, {
      minItems: 1,
      description: 'The conversation so far.',
      examples: [[{ role: 'user', content: 'Hello!' }]],
    }),
    stream: StreamField,
    stream_options: Maybe(
      Open(
        {
          include_usage: Maybe(Type.Boolean(), 'Send the token usage in the last chunk.', true),
        },
        { description: 'Options of a stream.' },
      ),
      'Only with `stream`.',
      { include_usage: true },
    ),
    tools: Maybe(Type.Array(ChatTool), 'Tools that the model can call.', null),
    tool_choice: Type.Optional(
      Type.Union([Type.String(), Open({}, { description: 'One tool.' }), Type.Null()], {
        description: '`none`, `auto`, `required`, or one tool.',
        examples: ['auto'],
      }),
    ),
    parallel_tool_calls: Maybe(Type.Boolean(), 'Whether the model can call several tools at once.', true),
    response_format: Maybe(ResponseFormat, 'The format of the response.', { type: 'text' }),
    max_completion_tokens: Maybe(
      Type.Number(),
      'Maximum number of tokens to generate, reasoning included. Set it to reserve less of a budget.',
      256,
    ),
    max_tokens: Maybe(Type.Number(), 'Older name of `max_completion_tokens`; many providers need it.', 256),
    temperature: Maybe(Type.Number(), 'Sampling temperature, from 0 to 2.', 0.7),
    top_p: Maybe(Type.Number(), 'Nucleus sampling, from 0 to 1.', 1),
    n: Maybe(Type.Number(), 'Number of choices to generate.', 1),
    stop: Type.Optional(
      Type.Union([Type.String(), Type.Array(Type.String()), Type.Null()], {
        description: 'Sequences that end the response.',
        examples: ['\n'],
      }),
    ),
    seed: Maybe(Type.Number(), 'Makes sampling repeatable, if the model supports it.', 42),
    frequency_penalty: Maybe(Type.Number(), 'Penalty of frequent tokens, from -2 to 2.', 0),
    presence_penalty: Maybe(Type.Number(), 'Penalty of tokens that occurred, from -2 to 2.', 0),
    logprobs: MaybeAny('Return log probabilities of the tokens.', false),
    top_logprobs: Maybe(Type.Number(), 'With `logprobs`: number of alternatives of each token.', null),
    reasoning_effort: Maybe(Type.String(), 'Effort of a reasoning model.', 'low'),
    user: UserField,
    metadata: CallMetadata,
  },
  {
    title: 'ChatCompletionRequest',
    description: 'As in the OpenAI API. Further fields are passed to the model unchanged.',
  },
);
export type ChatCompletionBody = Static<typeof ChatCompletionBody>;

const Usage = Open(
  {
    prompt_tokens: Type.Number({ description: 'Input tokens.', examples: [2] }),
    completion_tokens: Type.Number({ description: 'Output tokens.', examples: [2] }),
    total_tokens: Type.Number({ description: 'All tokens.', examples: [4] }),
    prompt_tokens_details: InputTokenDetails,
    completion_tokens_details: OutputTokenDetails,
  },
  { title: 'ChatUsage', description: 'Token usage.' },
);

/** In a response, as OpenAI documents it: a program reads it without checking each field. */
const ToolCall = Open(
  {
    id: Type.String({ description: 'ID of the tool call.', examples: ['call_4f1c2a'] }),
    type: Maybe(Type.String(), 'The type of the tool.', 'function'),
    function: Open(
      {
        name: Type.String({ description: 'Name of the function.', examples: ['get_weather'] }),
        arguments: Type.String({
          description: 'The arguments, as a string of JSON.',
          examples: ['{"city":"Oslo"}'],
        }),
      },
      { description: 'The function to call.' },
    ),
  },
  { title: 'ChatToolCall', description: 'A tool call by the model.' },
);

const AnswerMessage = Open(
  {
    role: Type.String({ description: 'Always `assistant`.', examples: ['assistant'] }),
    content: Maybe(Type.String(), 'The text. Null if there are only tool calls.', 'Hello!'),
    tool_calls: Maybe(Type.Array(ToolCall), 'The tool calls.', null),
    refusal: Maybe(Type.String(), 'Why the model refused to respond.', null),
  },
  {
    title: 'ChatAnswer',
    description: 'The generated message.',
    examples: [{ role: 'assistant', content: 'Hello!', refusal: null }],
  },
);

const FinishReason = Nullable(Type.String(), {
  description: 'Why the model stopped: `stop`, `length`, `tool_calls` or `content_filter`.',
  examples: ['stop'],
});

const Choice = Open(
  {
    index: Type.Number({ description: 'Position among the choices.', examples: [0] }),
    message: AnswerMessage,
    finish_reason: FinishReason,
    logprobs: MaybeAny('Log probabilities of the tokens.', null),
  },
  { title: 'ChatChoice', description: 'A generated choice.' },
);

export const ChatCompletion = Open(
  {
    id: Type.String({ description: 'ID of the completion.', examples: ['chatcmpl-4f1c2a'] }),
    object: Type.String({ description: 'Always `chat.completion`.', examples: ['chat.completion'] }),
    created: Type.Number({ description: 'Unix time in seconds.', examples: [1767225600] }),
    model: Type.String({
      description: "The provider's name of the model that generated the completion.",
      examples: ['fairlead/echo'],
    }),
    choices: Type.Array(Choice, { description: 'The generated choices.' }),
    usage: Maybe(Usage, 'Token usage, if the provider reports it.', {
      prompt_tokens: 2,
      completion_tokens: 2,
      total_tokens: 4,
    }),
    system_fingerprint: Maybe(Type.String(), "The provider's configuration.", null),
    service_tier: Maybe(Type.String(), 'The service tier that was used.', null),
  },
  { title: 'ChatCompletion', description: 'A chat completion.' },
);

const ChunkChoice = Open(
  {
    index: Type.Number({ description: 'Position among the choices.', examples: [0] }),
    delta: Open(
      {
        role: Maybe(Type.String(), 'In the first chunk: `assistant`.', null),
        content: Maybe(Type.String(), 'The next part of the text.', 'Hel'),
        tool_calls: Maybe(
          Type.Array(
            Open(
              {
                index: Type.Number({ description: 'Position among the tool calls.', examples: [0] }),
                id: Maybe(Type.String(), 'ID of the tool call, in its first chunk.', 'call_4f1c2a'),
                function: Type.Optional(
                  Open(
                    {
                      name: Maybe(Type.String(), 'Name of the function, in its first chunk.', 'get_weather'),
                      arguments: Maybe(Type.String(), 'The next part of the arguments.', '{"ci'),
                    },
                    { description: 'The function to call.' },
                  ),
                ),
              },
              { description: 'A part of a tool call.' },
            ),
          ),
          'Parts of tool calls.',
          null,
        ),
        refusal: Maybe(Type.String(), 'The next part of the refusal.', null),
      },
      { description: 'What this chunk adds to the message.' },
    ),
    finish_reason: Type.Optional(FinishReason),
  },
  { description: 'What this chunk adds to a choice.' },
);

export const ChatCompletionChunk = Open(
  {
    id: Type.String({ description: 'ID of the completion.', examples: ['chatcmpl-4f1c2a'] }),
    object: Type.String({
      description: 'Always `chat.completion.chunk`.',
      examples: ['chat.completion.chunk'],
    }),
    created: Type.Number({ description: 'Unix time in seconds.', examples: [1767225600] }),
    model: Type.String({
      description: "The provider's name of the model that generates the completion.",
      examples: ['fairlead/echo'],
    }),
    choices: Type.Array(ChunkChoice, { description: 'The choices. Empty in the chunk with the usage.' }),
    usage: Maybe(Usage, 'Token usage, in the last chunk, with `stream_options.include_usage`.', null),
  },
  {
    title: 'ChatCompletionChunk',
    description: 'The data of an event of a streamed chat completion. The last event is `data: [DONE]`.',
  },
);

export const CHAT_EXAMPLE = {
  id: 'chatcmpl-4f1c2a',
  object: 'chat.completion',
  created: 1767225600,
  model: 'fairlead/echo',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'Hello!', refusal: null },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage: { prompt_tokens: 2, completion_tokens: 2, total_tokens: 4 },
};
