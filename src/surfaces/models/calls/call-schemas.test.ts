import { describe, expect, test } from 'vitest';
import { compileValidator } from '../../../platform/http/validation.ts';
import { CHAT_EXAMPLE, ChatCompletion, ChatCompletionBody } from './chat-completion.schema.ts';
import { EMBEDDING_EXAMPLE, EmbeddingBody, EmbeddingList } from './embedding.schema.ts';
import { ModelResponse, RESPONSE_EXAMPLE, ResponseBody } from './response.schema.ts';

const getErrors = (schema: object, value: unknown): object[] => {
  const result = compileValidator(schema, 'body')(value);
  return 'error' in result ? result.error.errors : [];
};

const user = { role: 'user', content: 'Hi' };
const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } };
const chat = (more: object) => ({ model: 'a/m', messages: [user], ...more });

describe('a chat completion takes', () => {
  test.each<[string, object]>([
    ['text', chat({})],
    ['null in each optional field', chat(getNulls(ChatCompletionBody))],
    [
      'images, audio and files',
      chat({
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'What is this?' },
              { type: 'image_url', image_url: { url: 'data:image/png;base64,AA', detail: 'low' } },
              { type: 'image_url', image_url: 'https://example.com/a.png' },
              { type: 'input_audio', input_audio: { data: 'AA', format: 'wav' } },
              { type: 'file', file: { file_id: 'file-1' } },
              { type: 'text', text: 'cached', cache_control: { type: 'ephemeral' } },
            ],
          },
        ],
      }),
    ],
    [
      'tool calls with null content, and their results',
      chat({
        messages: [
          { role: 'developer', content: 'Be brief.' },
          user,
          { role: 'assistant', content: null, tool_calls: [call], refusal: null, audio: { id: 'a' } },
          { role: 'tool', tool_call_id: 'call_1', content: [{ type: 'text', text: '1' }] },
          { role: 'assistant', tool_calls: [call] },
          { role: 'function', name: 'f', content: '1' },
        ],
      }),
    ],
    [
      'tools of any kind',
      chat({
        tools: [
          { type: 'function', function: { name: 'f', parameters: { type: 'object' }, strict: true } },
          { type: 'custom', custom: { name: 'c', format: { type: 'text' } } },
          { type: 'web_search' },
        ],
        tool_choice: { type: 'function', function: { name: 'f' } },
      }),
    ],
    ['choices of tools by name', chat({ tool_choice: 'required' })],
    [
      'formats',
      chat({
        response_format: { type: 'json_schema', json_schema: { name: 'n', schema: {}, strict: true } },
      }),
    ],
    [
      'settings of providers',
      chat({
        temperature: 0.1,
        stop: ['a'],
        logit_bias: { 50256: -100 },
        reasoning_effort: 'xhigh',
        extra_body: {},
        provider: { order: ['x'] },
        stream_options: { include_usage: true, include_obfuscation: false },
        audio: { voice: 'alloy', format: 'wav' },
        modalities: ['text', 'audio'],
        prediction: { type: 'content', content: 'a' },
        metadata: { a: 'b' },
        service_tier: 'flex',
        web_search_options: {},
      }),
    ],
  ])('%s', (_, body) => expect(getErrors(ChatCompletionBody, body)).toEqual([]));

  test.each([
    [{ messages: [user] }, '/model'],
    [{ model: 'a/m' }, '/messages'],
    [{ model: 'a/m', messages: [] }, '/messages'],
    [{ model: 'a/m', messages: [{ content: 'a' }] }, '/messages/0/role'],
    [chat({ stream: 'yes' }), '/stream'],
  ])('not %j', (body, pointer) => expect(getErrors(ChatCompletionBody, body)).toMatchObject([{ pointer }]));
});

/** Null in each field that may be left out. */
function getNulls(schema: object): object {
  const { properties, required } = schema as { properties: object; required: string[] };
  return Object.fromEntries(
    Object.keys(properties)
      .filter((name) => !required.includes(name))
      .map((name) => [name, null]),
  );
}

describe('a response takes', () => {
  test.each<[string, object]>([
    ['text', { model: 'a/m', input: 'Hi' }],
    ['null in each optional field', { model: 'a/m', ...getNulls(ResponseBody) }],
    ['a stored prompt', { model: 'a/m', prompt: { id: 'pmpt_1', variables: {} } }],
    [
      'items of any kind',
      {
        model: 'a/m',
        instructions: 'Be brief.',
        input: [
          user,
          { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'a' }] },
          {
            role: 'user',
            content: [{ type: 'input_image', image_url: 'data:image/png;base64,AA', detail: 'auto' }],
          },
          { role: 'user', content: [{ type: 'input_file', file_id: 'file-1', file_url: null }] },
          { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' },
          {
            type: 'function_call',
            call_id: 'c',
            name: 'f',
            arguments: '{}',
            id: 'fc_1',
            status: 'completed',
          },
          { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_text', text: '1' }] },
          { type: 'item_reference', id: 'msg_1' },
          {
            type: 'message',
            role: 'assistant',
            content: [{ type: 'output_text', text: 'a', annotations: [] }],
          },
        ],
        tools: [
          { type: 'function', name: 'f', parameters: {}, strict: true },
          { type: 'web_search_preview' },
          { type: 'mcp', server_label: 's', server_url: 'https://example.com', require_approval: 'never' },
        ],
        tool_choice: { type: 'function', name: 'f' },
        text: { format: { type: 'json_schema', name: 'n', schema: {} }, verbosity: 'low' },
        reasoning: { effort: 'low', summary: 'auto' },
        include: ['reasoning.encrypted_content'],
        stream: true,
        stream_options: { include_obfuscation: false },
      },
    ],
  ])('%s', (_, body) => expect(getErrors(ResponseBody, body)).toEqual([]));

  test('not without a model', () => {
    expect(getErrors(ResponseBody, { input: 'Hi' })).toMatchObject([{ pointer: '/model' }]);
  });
});

describe('embeddings take', () => {
  test.each<[string, unknown]>([
    ['a text', 'Hi'],
    ['texts', ['Hi', 'there']],
    ['token IDs', [1, 2]],
    ['lists of token IDs', [[1], [2, 3]]],
    ['inputs of other providers', [{ type: 'image_url', image_url: { url: 'https://example.com' } }]],
  ])('%s', (_, input) =>
    expect(getErrors(EmbeddingBody, { model: 'a/m', input, dimensions: null, input_type: 'query' })).toEqual(
      [],
    ),
  );

  test('not without an input', () => {
    expect(getErrors(EmbeddingBody, { model: 'a/m' })).toMatchObject([{ pointer: '/input' }]);
  });
});

test.each([
  [ChatCompletion, CHAT_EXAMPLE],
  [ModelResponse, RESPONSE_EXAMPLE],
  [EmbeddingList, EMBEDDING_EXAMPLE],
])('the example of a response matches its schema', (schema, example) => {
  expect(getErrors(schema, example)).toEqual([]);
});
