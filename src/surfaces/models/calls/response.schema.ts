/** Schemas of `POST /responses`. https://platform.openai.com/docs/api-reference/responses */
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

const InputPart = Open(
  {
    type: Type.String({
      description: 'The type of the part, such as `input_text`, `input_image` or `input_file`.',
      examples: ['input_text'],
    }),
    text: Maybe(Type.String(), 'The text of an `input_text` part.', 'What is in this image?'),
    image_url: MaybeAny('Address or `data:` URL of an `input_image` part.', 'https://example.com/cat.png'),
    file_id: Maybe(Type.String(), 'ID of a file at the provider.', null),
  },
  { title: 'ResponseInputPart', description: 'A part of an input message.' },
);

const InputItem = Open(
  {
    type: Maybe(
      Type.String(),
      'The type of the item, such as `message`, `function_call` or `function_call_output`.',
      'message',
    ),
    role: Maybe(
      Type.String(),
      'The author of a message: `system`, `developer`, `user` or `assistant`.',
      'user',
    ),
    content: Type.Optional(
      Type.Union([Type.String(), Type.Array(InputPart), Type.Null()], {
        description: 'Text, or a list of parts.',
        examples: ['Hello!'],
      }),
    ),
    call_id: Maybe(Type.String(), 'ID of a tool call.', 'call_4f1c2a'),
    name: Maybe(Type.String(), 'Name of the function of a `function_call`.', 'get_weather'),
    arguments: MaybeAny('Arguments of a `function_call`, as a string of JSON.', '{"city":"Oslo"}'),
    output: MaybeAny('Result of a tool call.', '{"degrees":12}'),
  },
  { title: 'ResponseInputItem', description: 'An item of the input.' },
);

const Tool = Open(
  {
    type: Type.String({ description: 'The type of the tool, such as `function`.', examples: ['function'] }),
    name: Maybe(Type.String(), 'Name of the function.', 'get_weather'),
    description: Maybe(Type.String(), 'What the function does.', 'Returns the weather of a city.'),
    parameters: JsonSchema('JSON Schema of the arguments.'),
    strict: Maybe(Type.Boolean(), 'Whether arguments always match the schema.', true),
  },
  { title: 'ResponseTool', description: 'A tool that the model can call.' },
);

const TextFormat = Open(
  {
    format: MaybeAny('The format: `type` is `text`, `json_object` or `json_schema`.', { type: 'text' }),
    verbosity: Maybe(Type.String(), 'Length of the response: `low`, `medium` or `high`.', 'medium'),
  },
  { description: 'Text of the response.' },
);

export const ResponseBody = Open(
  {
    model: ModelField,
    input: Type.Optional(
      Type.Union([Type.String(), Type.Array(InputItem), Type.Null()], {
        description: 'Text, or a list of items.',
        examples: ['Hello!'],
      }),
    ),
    instructions: Type.Optional(
      Type.Unknown({ description: 'A system message.', examples: ['Answer in one sentence.'] }),
    ),
    stream: StreamField,
    tools: Maybe(Type.Array(Tool), 'Tools that the model can call.', null),
    tool_choice: Type.Optional(
      Type.Union([Type.String(), Open({}, { description: 'One tool.' }), Type.Null()], {
        description: '`none`, `auto`, `required`, or one tool.',
        examples: ['auto'],
      }),
    ),
    parallel_tool_calls: Maybe(Type.Boolean(), 'Whether the model can call several tools at once.', true),
    max_output_tokens: Maybe(
      Type.Number(),
      'Maximum number of tokens to generate, reasoning included. Set it to reserve less of a budget.',
      256,
    ),
    temperature: Maybe(Type.Number(), 'Sampling temperature, from 0 to 2.', 0.7),
    top_p: Maybe(Type.Number(), 'Nucleus sampling, from 0 to 1.', 1),
    text: Maybe(TextFormat, 'Format of the text.', { format: { type: 'text' } }),
    reasoning: Maybe(Open({}, { description: 'Reasoning.' }), 'Settings of a reasoning model.', {
      effort: 'low',
    }),
    previous_response_id: Maybe(Type.String(), 'ID of the response to continue, at the provider.', null),
    include: MaybeAny('Further parts of the response to return.', null),
    store: Maybe(Type.Boolean(), 'Whether the provider stores the response.', false),
    background: Maybe(
      Type.Boolean(),
      'Whether the provider generates the response in the background.',
      false,
    ),
    truncation: Maybe(Type.String(), 'How the provider shortens input that is too long.', 'disabled'),
    user: UserField,
    metadata: CallMetadata,
  },
  {
    title: 'ResponseRequest',
    description: 'As in the OpenAI API. Further fields are passed to the model unchanged.',
  },
);
export type ResponseBody = Static<typeof ResponseBody>;

const Usage = Open(
  {
    input_tokens: Type.Number({ description: 'Input tokens.', examples: [2] }),
    output_tokens: Type.Number({ description: 'Output tokens.', examples: [2] }),
    total_tokens: Type.Number({ description: 'All tokens.', examples: [4] }),
    input_tokens_details: InputTokenDetails,
    output_tokens_details: OutputTokenDetails,
  },
  { title: 'ResponseUsage', description: 'Token usage.' },
);

const OutputPart = Open(
  {
    type: Type.String({
      description: 'The type of the part: `output_text`, `refusal` or `reasoning_text`.',
      examples: ['output_text'],
    }),
    text: Maybe(Type.String(), 'The text of an `output_text` or `reasoning_text` part.', 'Hello!'),
    refusal: Maybe(Type.String(), 'Why the model refused to respond.', null),
  },
  { title: 'ResponseOutputPart', description: 'A part of a generated message.' },
);

const OutputItem = Open(
  {
    type: Type.String({
      description: 'The type of the item, such as `message`, `reasoning` or `function_call`.',
      examples: ['message'],
    }),
    id: Maybe(Type.String(), 'ID of the item.', 'msg_4f1c2a'),
    status: Maybe(Type.String(), 'State of the item.', 'completed'),
    role: Maybe(Type.String(), 'The author of a message.', 'assistant'),
    content: Maybe(Type.Array(OutputPart), 'The parts of a message.', [
      { type: 'output_text', text: 'Hello!', annotations: [] },
    ]),
    call_id: Maybe(Type.String(), 'ID of a tool call.', null),
    name: Maybe(Type.String(), 'Name of the function of a `function_call`.', null),
    arguments: Maybe(Type.String(), 'Arguments of a `function_call`, as a string of JSON.', null),
  },
  { title: 'ResponseOutputItem', description: 'An item of the output.' },
);

export const ModelResponse = Open(
  {
    id: Type.String({ description: 'ID of the response at the provider.', examples: ['resp_4f1c2a'] }),
    object: Type.String({ description: 'Always `response`.', examples: ['response'] }),
    created_at: Type.Number({ description: 'Unix time in seconds.', examples: [1767225600] }),
    status: Maybe(
      Type.String(),
      'State of the response: `completed`, `failed`, `in_progress` or `incomplete`.',
      'completed',
    ),
    model: Type.String({
      description: "The provider's name of the model that generated the response.",
      examples: ['fairlead/echo'],
    }),
    output: Type.Array(OutputItem, { description: 'The generated items.' }),
    error: Type.Optional(
      Nullable(
        Open(
          {
            code: Maybe(Type.String(), 'The error code.', 'server_error'),
            message: Maybe(Type.String(), "The provider's reason.", 'The model failed.'),
          },
          { description: 'An error.' },
        ),
        {
          description: 'Why the response failed.',
          examples: [null],
        },
      ),
    ),
    incomplete_details: Maybe(
      Open(
        { reason: Maybe(Type.String(), 'The reason, such as `max_output_tokens`.', 'max_output_tokens') },
        { description: 'Why the response is incomplete.' },
      ),
      'Why the response is incomplete.',
      null,
    ),
    usage: Maybe(Usage, 'Token usage, if the provider reports it.', {
      input_tokens: 2,
      output_tokens: 2,
      total_tokens: 4,
    }),
  },
  { title: 'ModelResponse', description: 'A response of the responses API.' },
);

export const RESPONSE_EXAMPLE = {
  id: 'resp_4f1c2a',
  object: 'response',
  created_at: 1767225600,
  status: 'completed',
  model: 'fairlead/echo',
  output: [
    {
      type: 'message',
      id: 'msg_4f1c2a',
      status: 'completed',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Hello!', annotations: [] }],
    },
  ],
  error: null,
  incomplete_details: null,
  usage: { input_tokens: 2, output_tokens: 2, total_tokens: 4 },
};
