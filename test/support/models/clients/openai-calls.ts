/** Calls of OpenAI's client, of the version that is given. */
import type OpenAI from 'openai';
import type { ClientOptions } from 'openai';
import { OBJECT_SCHEMA, PROMPT, WEATHER_TOOL } from './client-inputs.ts';
import { REJECTIONS } from './client-provider.ts';
import { type ClientCall, type ClientCalls, describeHeaders, type Place, readAll } from './client-outcome.ts';

export type OpenAiModule = { OpenAI: typeof OpenAI };

const messages = [{ role: 'user' as const, content: PROMPT }];
const tools = [{ type: 'function' as const, function: WEATHER_TOOL }];
const response_format = {
  type: 'json_schema' as const,
  json_schema: { name: 'found', schema: OBJECT_SCHEMA, strict: true },
};
const functions = [{ type: 'function' as const, strict: false, ...WEATHER_TOOL }];
const format = { type: 'json_schema' as const, name: 'found', schema: OBJECT_SCHEMA, strict: true };
const streamed = { stream: true as const };
const withUsage = { ...streamed, stream_options: { include_usage: true } };

/** @param isBeta whether helpers of chats are in `beta`, as in version 4 */
export function getOpenAiCalls({ OpenAI: Client }: OpenAiModule, isBeta: boolean): ClientCalls {
  const connect = ({ url, apiKey }: Place, options: ClientOptions = {}): OpenAI =>
    new Client({ apiKey, baseURL: url, maxRetries: 0, ...options });
  const getHelpers = (client: OpenAI): OpenAI.Chat.Completions =>
    isBeta ? (client as unknown as { beta: OpenAI }).beta.chat.completions : client.chat.completions;

  const chat =
    (model: string, more: object = {}, options?: ClientOptions): ClientCall =>
    (place, name) =>
      connect(place, options).chat.completions.create({ model: name(model), messages, ...more });
  const chatStream =
    (model: string, more: object = {}): ClientCall =>
    async (place, name) =>
      readAll(
        await connect(place).chat.completions.create({ model: name(model), messages, ...streamed, ...more }),
      );
  const respond =
    (model: string, more: object = {}, options?: ClientOptions): ClientCall =>
    (place, name) =>
      connect(place, options).responses.create({ model: name(model), input: PROMPT, ...more });
  const respondStream =
    (model: string, more: object = {}): ClientCall =>
    async (place, name) =>
      readAll(
        await connect(place).responses.create({ model: name(model), input: PROMPT, ...streamed, ...more }),
      );
  const embed =
    (more: object, model = 'plain'): ClientCall =>
    (place, name) =>
      connect(place).embeddings.create({ model: name(model), input: PROMPT, ...more });

  return {
    'models.list': async (place) => {
      const models = [];
      for await (const { id, object, owned_by, created } of connect(place).models.list())
        if (id.startsWith(place.prefix) && !id.startsWith('fairlead/'))
          models.push({ id, object, owned_by, created });
      return models.sort((a, b) => (a.id < b.id ? -1 : 1));
    },
    'models.retrieve': async (place, name) => {
      const { id, object, owned_by, created } = await connect(place).models.retrieve(name('plain'));
      return { id, object, owned_by, created };
    },

    chat: chat('plain'),
    'chat, with headers': async (place, name) => {
      const { data, response } = await connect(place)
        .chat.completions.create({ model: name('plain'), messages })
        .withResponse();
      return { data, status: response.status, headers: describeHeaders(response.headers) };
    },
    'chat, raw': async (place, name) => {
      const call = connect(place).chat.completions.create({ model: name('plain'), messages });
      return (await call.asResponse()).text();
    },
    'chat with every parameter': chat('plain', {
      messages: [
        { role: 'developer', content: [{ type: 'text', text: 'Be brief.' }] },
        { role: 'system', content: 'Be kind.', name: 'operator' },
        {
          role: 'user',
          content: [
            { type: 'text', text: PROMPT },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'low' } },
            { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
            { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERg==' } },
          ],
        },
        { role: 'assistant', content: null, refusal: 'No.' },
        { role: 'user', content: PROMPT },
      ],
      n: 2,
      stop: ['\n\n', '###'],
      seed: 7,
      temperature: 0.2,
      top_p: 1,
      logprobs: true,
      top_logprobs: 2,
      logit_bias: { 50_256: -100 },
      presence_penalty: 0,
      frequency_penalty: null,
      max_completion_tokens: 50,
      metadata: { trace: 'a' },
      store: false,
      user: 'user-1',
      safety_identifier: 'user-1',
      prompt_cache_key: 'k',
      service_tier: 'auto',
      reasoning_effort: 'low',
      verbosity: 'low',
      modalities: ['text'],
      prediction: { type: 'content', content: 'Hello' },
      parallel_tool_calls: null,
      future_parameter: { nested: [1.0, null, '\u0000'] },
    }),
    'chat with tools': chat('plain', { tools, tool_choice: 'auto', parallel_tool_calls: true }),
    'chat with functions': chat('plain', { functions: [WEATHER_TOOL], function_call: 'none' }),
    'chat runs tools': async (place, name) => {
      const runner = getHelpers(connect(place)).runTools({
        model: name('plain'),
        messages,
        tools: [
          {
            type: 'function',
            function: {
              ...WEATHER_TOOL,
              parse: (text: string) => JSON.parse(text) as { city: string },
              function: ({ city }: { city: string }) => `${city}: sun`,
            },
          },
        ],
      });
      return {
        said: await runner.finalContent(),
        messages: runner.messages,
        usage: await runner.totalUsage(),
      };
    },
    'chat with a schema': (place, name) =>
      getHelpers(connect(place)).parse({ model: name('plain'), messages, response_format }),
    'chat with JSON': chat('plain', { response_format: { type: 'json_object' } }),
    'chat with reasoning': chat('reasoning'),
    'chat refused by the model': chat('refusal'),
    'chat cut by its length': (place, name) =>
      getHelpers(connect(place)).parse({ model: name('length'), messages, response_format }),
    'chat filtered': (place, name) =>
      getHelpers(connect(place)).parse({ model: name('filtered'), messages, response_format }),

    'chat stream': chatStream('plain'),
    'chat stream with usage': chatStream('plain', withUsage),
    'chat stream with tools': chatStream('plain', { ...withUsage, tools }),
    'chat stream with reasoning': chatStream('reasoning', withUsage),
    'chat stream with logprobs': chatStream('plain', { ...withUsage, logprobs: true }),
    'chat stream with comments': chatStream('comments', withUsage),
    'chat stream, by its helper': async (place, name) => {
      const runner = getHelpers(connect(place)).stream({
        model: name('plain'),
        messages,
        tools,
        ...withUsage,
      });
      const events: string[] = [];
      runner.on('content.delta', ({ delta }) => events.push(delta));
      runner.on('tool_calls.function.arguments.done', (call) => events.push(JSON.stringify(call)));
      return { completion: await runner.finalChatCompletion(), events, usage: await runner.totalUsage() };
    },
    'chat stream with a schema, by its helper': async (place, name) => {
      const runner = getHelpers(connect(place)).stream({ model: name('plain'), messages, response_format });
      return runner.finalMessage();
    },
    'chat stream that is empty': chatStream('empty'),
    'chat stream with an error first': chatStream('error-first'),
    'chat stream with an error later': chatStream('error-later', withUsage),
    'chat stream that breaks off': chatStream('cut'),
    'chat stream that is left': async (place, name) => {
      const stream = await connect(place).chat.completions.create({
        model: name('endless'),
        messages,
        ...streamed,
      });
      for await (const { choices } of stream) if (choices[0]?.delta.content) return choices[0].delta.content;
      return null;
    },
    'chat that is aborted': async (place, name) => {
      const signal = AbortSignal.timeout(150);
      return connect(place).chat.completions.create({ model: name('hangs'), messages }, { signal });
    },
    'chat that times out': chat('hangs', {}, { timeout: 150 }),

    ...Object.fromEntries(
      Object.keys(REJECTIONS).flatMap((model) => [
        [`chat rejected: ${model}`, chat(model)],
        [`chat stream rejected: ${model}`, chatStream(model)],
        [`chat repeated: ${model}`, chat(`${model}-once`, {}, { maxRetries: 2 })],
        [`response rejected: ${model}`, respond(model)],
        [`embedding rejected: ${model}`, embed({}, model)],
      ]),
    ),
    'chat repeated twice': chat('broken', {}, { maxRetries: 2 }),
    'chat with a page as error': chat('page'),
    'chat with a text as error': chat('text'),
    'chat with an error in a success': chat('error-200'),

    response: respond('plain'),
    'response with every parameter': respond('plain', {
      input: [
        { role: 'developer', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'input_text', text: PROMPT },
            { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'auto' },
            { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERg==' },
          ],
        },
        { type: 'reasoning', id: 'rs_0', summary: [], encrypted_content: 'abc' },
        { type: 'function_call', call_id: 'call_0', name: 'get_weather', arguments: '{}' },
        { type: 'function_call_output', call_id: 'call_0', output: '12 °C' },
      ],
      instructions: 'Be kind.',
      include: ['reasoning.encrypted_content'],
      max_output_tokens: 50,
      max_tool_calls: 3,
      metadata: { trace: 'a' },
      parallel_tool_calls: false,
      previous_response_id: null,
      reasoning: { effort: 'low', summary: 'auto' },
      service_tier: 'auto',
      store: false,
      temperature: 0.2,
      top_p: 1,
      text: { format: { type: 'text' }, verbosity: 'low' },
      tool_choice: 'auto',
      tools: functions,
      truncation: 'auto',
      user: 'user-1',
      background: false,
      future_parameter: [null],
    }),
    'response after another': respond('plain', { previous_response_id: 'resp_0' }),
    'response with tools': respond('plain', { tools: functions }),
    'response with a schema': (place, name) =>
      connect(place).responses.parse({ model: name('plain'), input: PROMPT, text: { format } }),
    'response with reasoning': respond('reasoning'),
    'response refused by the model': respond('refusal'),
    'response that failed': respond('failed'),
    'response that is incomplete': respond('incomplete'),
    'response stream': respondStream('plain'),
    'response stream with tools': respondStream('plain', { tools: functions }),
    'response stream with reasoning': respondStream('reasoning'),
    'response stream refused by the model': respondStream('refusal'),
    'response stream with comments': respondStream('comments'),
    'response stream, by its helper': async (place, name) => {
      const runner = connect(place).responses.stream({
        model: name('plain'),
        input: PROMPT,
        text: { format },
      });
      const types: string[] = [];
      for await (const { type } of runner) types.push(type);
      return { types, response: await runner.finalResponse() };
    },
    'response stream that failed': respondStream('failed'),
    'response stream that is incomplete': respondStream('incomplete'),
    'response stream that is empty': respondStream('empty'),
    'response stream with an error first': respondStream('error-first'),
    'response stream with an error later': respondStream('error-later'),
    'response stream that breaks off': respondStream('cut'),
    'response stream that is left': async (place, name) => {
      const stream = await connect(place).responses.create({
        model: name('endless'),
        input: PROMPT,
        ...streamed,
      });
      for await (const event of stream) if (event.type === 'response.output_text.delta') return event.delta;
      return null;
    },
    'response that is aborted': (place, name) =>
      connect(place).responses.create(
        { model: name('hangs'), input: PROMPT },
        { signal: AbortSignal.timeout(150) },
      ),
    'response that times out': respond('hangs', {}, { timeout: 150 }),
    'response repeated': respond('busy-once', {}, { maxRetries: 1 }),
    'response in the background': respond('plain', { background: true }),

    embedding: embed({}),
    'embedding, base64': embed({ encoding_format: 'base64' }),
    'embedding, float': embed({ encoding_format: 'float' }),
    'embeddings of many, with dimensions': embed({ input: [PROMPT, 'other'], dimensions: 2, user: 'user-1' }),
    'embedding of tokens': embed({ input: [1, 2, 3] }),
    'embeddings of many tokens': embed({ input: [[1, 2, 3], [4]] }),
    'embedding repeated': (place, name) =>
      connect(place, { maxRetries: 1 }).embeddings.create({ model: name('broken-once'), input: PROMPT }),
  };
}
