/** OpenAI's own client, unchanged, pointed at /api/v1. */
import OpenAI, {
  APIError,
  AuthenticationError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, startWorkspace, type TestApp } from '../support/test-app.ts';

let app: TestApp;
let client: OpenAI;
const clientWith = (apiKey: string): OpenAI =>
  new OpenAI({ apiKey, baseURL: `${app.base}/api/v1`, maxRetries: 0 });

beforeAll(async () => {
  app = await startTestApp();
  const { key } = await startWorkspace(app);
  client = clientWith(key);
});
afterAll(() => app.stop());

const MODEL = 'fairlead/echo';
const SAID = 'Ahoy there, harbour master. Ünïcode, too: 灯台 🚢';
const messages = [{ role: 'user' as const, content: SAID }];

async function failure(promise: Promise<unknown>): Promise<APIError> {
  const error = await promise.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(APIError);
  return error as APIError;
}

describe('models', () => {
  test('are listed', async () => {
    const models = [];
    for await (const model of client.models.list()) models.push(model);
    expect(models).toContainEqual(
      expect.objectContaining({
        id: MODEL,
        object: 'model',
        owned_by: 'fairlead',
        created: expect.any(Number),
      }),
    );
  });

  test('are given one by one, slash and all', async () => {
    expect(await client.models.retrieve(MODEL)).toMatchObject({ id: MODEL, object: 'model' });
  });

  test('that are not there are NotFoundError', async () => {
    const error = await failure(client.models.retrieve('fairlead/none'));
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({ code: 'model_not_found', param: 'model', type: 'invalid_request_error' });
  });
});

describe('a chat', () => {
  test('is answered whole', async () => {
    const completion = await client.chat.completions.create({ model: MODEL, messages });
    expect(completion.object).toBe('chat.completion');
    expect(completion.choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { role: 'assistant', content: SAID },
    });
    const { prompt_tokens, completion_tokens, total_tokens } = completion.usage!;
    expect(prompt_tokens).toBeGreaterThan(0);
    expect(total_tokens).toBe(prompt_tokens + completion_tokens);
  });

  test('streams in pieces that make the whole', async () => {
    const stream = await client.chat.completions.create({
      model: MODEL,
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    const pieces: string[] = [];
    let finish: string | null = null;
    let used = 0;
    for await (const { choices, usage } of stream) {
      if (choices[0]?.delta.content) pieces.push(choices[0].delta.content);
      finish = choices[0]?.finish_reason ?? finish;
      used = usage?.total_tokens ?? used;
    }
    expect(pieces.length).toBeGreaterThan(3);
    expect(pieces.join('')).toBe(SAID);
    expect(finish).toBe('stop');
    expect(used).toBeGreaterThan(0);
  });

  test('can be followed by the helper for streams, and left', async () => {
    const runner = client.chat.completions.stream({ model: MODEL, messages });
    expect(await runner.finalContent()).toBe(SAID);
    const left = await client.chat.completions.create({
      model: MODEL,
      messages: [{ role: 'user', content: 'word '.repeat(50_000) }],
      stream: true,
    });
    let read = 0;
    for await (const _chunk of left) if ((read += 1) === 3) break;
    expect(read).toBe(3);
  });

  test('with an unknown model, or without messages, is refused in words that the client shows', async () => {
    const unknown = await failure(client.chat.completions.create({ model: 'nobody/nothing', messages }));
    expect(unknown).toBeInstanceOf(NotFoundError);
    expect(unknown.message).toContain('nobody/nothing');
    const empty = await failure(
      client.chat.completions.create({ model: MODEL } as unknown as { model: string; messages: [] }),
    );
    expect(empty).toMatchObject({
      status: 400,
      message: '400 messages is required',
      type: 'invalid_request_error',
      param: 'messages',
      code: 'missing_required_parameter',
    });
    const odd = [{ role: 'user', content: 1 }] as unknown as [];
    const wrong = await failure(client.chat.completions.create({ model: MODEL, messages: odd }));
    expect(wrong).toMatchObject({ status: 400, param: 'messages[0].content', code: 'invalid_type' });
    expect(wrong.message).toMatch(/^400 messages\[0\]\.content must be /);
  });
});

test('a chat calls tools, and takes their results', async () => {
  const tools = [{ type: 'function' as const, function: { name: 'get_weather', parameters: {} } }];
  const asked = [{ role: 'user' as const, content: 'call get_weather {"city": "Oslo"}' }];
  const { choices } = await client.chat.completions.create({ model: MODEL, messages: asked, tools });
  expect(choices[0]).toMatchObject({
    finish_reason: 'tool_calls',
    message: {
      content: null,
      tool_calls: [{ function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } }],
    },
  });
  const { message } = choices[0]!;
  const streamed = client.chat.completions.stream({ model: MODEL, messages: asked, tools });
  expect((await streamed.finalMessage()).tool_calls).toMatchObject([
    { function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } },
  ]);
  const result = { role: 'tool' as const, tool_call_id: message.tool_calls![0]!.id, content: '12 °C' };
  const after = await client.chat.completions.create({
    model: MODEL,
    messages: [...asked, message, result],
    tools,
  });
  expect(after.choices[0]!.finish_reason).toBe('stop');
});

test('a chat responds by a JSON schema', async () => {
  const schema = {
    type: 'object',
    properties: {
      city: { type: 'string' },
      degrees: { type: 'integer', minimum: 3 },
      tags: { type: 'array' },
    },
    required: ['city', 'degrees', 'tags'],
  };
  const { choices } = await client.chat.completions.create({
    model: MODEL,
    messages,
    response_format: { type: 'json_schema', json_schema: { name: 'weather', schema } },
  });
  expect(JSON.parse(choices[0]!.message.content!)).toMatchObject({ city: SAID, degrees: 3 });
});

describe('a response', () => {
  test('is answered whole', async () => {
    const response = await client.responses.create({ model: MODEL, input: SAID });
    expect(response).toMatchObject({ object: 'response', status: 'completed', output_text: SAID });
    expect(response.usage!.input_tokens).toBeGreaterThan(0);
  });

  test('streams events that its helper accepts', async () => {
    const runner = client.responses.stream({ model: MODEL, input: SAID });
    const types: string[] = [];
    for await (const { type } of runner) types.push(type);
    expect(types[0]).toBe('response.created');
    expect(types.at(-1)).toBe('response.completed');
    expect((await runner.finalResponse()).output_text).toBe(SAID);
  });

  test('calls functions', async () => {
    const tools = [
      { type: 'function' as const, name: 'get_weather', parameters: {}, strict: false, description: null },
    ];
    const input = 'call get_weather {"city": "Oslo"}';
    const { output } = await client.responses.create({ model: MODEL, input, tools });
    expect(output).toMatchObject([
      { type: 'function_call', name: 'get_weather', arguments: '{"city":"Oslo"}' },
    ]);
  });
});

test('embeddings are vectors of length 1 that depend on the input alone', async () => {
  const { data, usage } = await client.embeddings.create({
    model: MODEL,
    input: [SAID, 'other', SAID],
    dimensions: 64,
  });
  const vectors = data.map(({ embedding }) => embedding);
  expect(vectors.map(({ length }) => length)).toEqual([64, 64, 64]);
  expect(vectors[0]).toEqual(vectors[2]);
  expect(vectors[0]).not.toEqual(vectors[1]);
  expect(Math.hypot(...vectors[0]!)).toBeCloseTo(1);
  expect(usage.prompt_tokens).toBeGreaterThan(0);
  const floats = await client.embeddings.create({
    model: MODEL,
    input: SAID,
    dimensions: 64,
    encoding_format: 'float',
  });
  expect(floats.data[0]!.embedding.map(Math.fround)).toEqual(vectors[0]);
});

describe('what is not there', () => {
  test('is an error of OpenAI’s form, with the ID of the request', async () => {
    const error = await failure(client.get('/chat/nothing'));
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({ type: 'invalid_request_error', code: 'unknown_url', param: null });
    expect(error.message).toContain('/api/v1/chat/nothing');
    expect(error.requestID).toMatch(/^req_/);
    const method = await failure(client.delete('/models'));
    expect(method).toMatchObject({ status: 405, code: 'method_not_supported' });
    const part = await failure(client.get('/responses/resp_1'));
    expect(part).toMatchObject({ status: 404, code: 'unknown_url' });
  });

  test.each([
    ['POST', '/completions'],
    ['POST', '/audio/speech'],
    ['POST', '/images/generations'],
    ['POST', '/moderations'],
    ['GET', '/files'],
    ['POST', '/batches'],
    ['POST', '/v1/chat/completions'],
    ['GET', '/vector_stores?limit=2'],
  ])('%s %s names what is', async (method, path) => {
    const { status, body } = await app.call(path, { method });
    expect([status, body.error.code]).toEqual([404, 'unknown_url']);
    for (const name of ['POST /api/v1/chat/completions', 'POST /api/v1/embeddings', 'GET /api/v1/models'])
      expect(body.error.message).toContain(name);
  });

  test('elsewhere has the problem’s own form alone', async () => {
    for (const path of ['/nothing', '/modelsx', '/model-providersx']) {
      const { status, body } = await app.call(path);
      expect([path, status, body.code, body.error]).toEqual([path, 404, 'not_found', undefined]);
    }
  });
});

test('an answer has the ID of its request, and unknown query parameters pass', async () => {
  const { response } = await client.chat.completions
    .create({ model: MODEL, messages }, { query: { 'api-version': '2024-10-21' } })
    .withResponse();
  expect(response.headers.get('x-request-id')).toMatch(/^req_/);
  expect(response.headers.get('x-request-id')).toBe(response.headers.get('fairlead-request-id'));
  expect((await client.models.list({ query: { after: 'x' } })).data).not.toHaveLength(0);
  expect((await client.models.retrieve(MODEL, { query: { beta: 'true' } })).id).toBe(MODEL);
});

test('too many calls are RateLimitError', async () => {
  const { key } = await startWorkspace(app, { preset: 'full', rate_limit: { limit: 1, burst: 1 } });
  const limited = clientWith(key);
  await limited.models.list();
  const error = await failure(limited.models.list());
  expect(error).toBeInstanceOf(RateLimitError);
  expect(error).toMatchObject({ type: 'requests', code: 'rate_limit_exceeded' });
});

describe('a key', () => {
  test('that is wrong is AuthenticationError, with message, type and code', async () => {
    const error = await failure(clientWith('fl_wrong').models.list());
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error).toMatchObject({ status: 401, type: 'invalid_request_error', code: 'invalid_api_key' });
    expect(error.message).toContain('The API key is malformed');
  });

  test('without the scope is PermissionDeniedError that names it', async () => {
    const { key } = await startWorkspace(app, { scopes: ['models:read'] });
    const reader = clientWith(key);
    expect((await reader.models.list()).data).not.toHaveLength(0);
    const error = await failure(reader.chat.completions.create({ model: MODEL, messages }));
    expect(error).toBeInstanceOf(PermissionDeniedError);
    expect(error.message).toContain('models:invoke');
  });
});
