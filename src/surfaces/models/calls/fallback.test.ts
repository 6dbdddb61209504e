/** Which responses of a provider are no answer: a route tries its next model, and a caller of the model alone gets the error. */
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { data, delta, DONE, ROLE, STOP, toUsageFrame } from '../../../../test/support/models/call-world.ts';
import {
  COMPLETION,
  type FakeProvider,
  sendJson,
  startFakeProvider,
} from '../../../../test/support/models/fake-provider.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';

let fake: FakeProvider;
let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
/** The behavior of the model `bad`; `good` succeeds. */
let fail: (response: ServerResponse) => void;

const call = (path: string, body?: object, method?: string) =>
  app.call(path, { key: home.key, body, method });

const GOOD_STREAM = [ROLE, delta('OK'), STOP, toUsageFrame(3, 1), DONE].join('');
beforeAll(async () => {
  fake = await startFakeProvider();
  app = await startTestApp({ EGRESS_ALLOW: `127.0.0.1:${fake.port}` });
  home = await startWorkspace(app);
  const price = { input: 1000, output: 1000 };
  await call('/model-providers', {
    kind: 'openai_compatible',
    slug: 'own',
    base_url: fake.url,
    models: [{ id: 'bad' }, { id: 'good' }],
    prices: { bad: price, good: price },
  });
  const attempts = [{ model: 'own/bad' }, { model: 'own/good' }];
  await call('/model-routes', { name: 'plain', attempts });
  await call('/model-routes', { name: 'long', attempts, on: ['context_length'] });
});
afterAll(async () => {
  await app.stop();
  await fake.stop();
});
beforeEach(() => {
  fake.received.length = 0;
  fake.respond = ({ body }, response) => {
    const { model, stream } = JSON.parse(body) as { model: string; stream?: boolean };
    if (model === 'bad') fail(response);
    else if (stream) response.writeHead(200, { 'content-type': 'text/event-stream' }).end(GOOD_STREAM);
    else sendJson(response, 200, COMPLETION);
  };
});

const chat = (model: string, also: object = {}) =>
  call('/chat/completions', { model, messages: [{ role: 'user', content: 'Hi' }], ...also });
const getRecord = async () => {
  const { body } = await call('/model-calls?limit=1');
  const { outcome, error_code, input_tokens, output_tokens, cost_usd, attempts } = body.data[0];
  return { outcome, error_code, input_tokens, output_tokens, cost_usd, attempts };
};
const answers =
  (status: number, body: string, type = 'application/json') =>
  (response: ServerResponse): void =>
    void response.writeHead(status, { 'content-type': type }).end(body);
const error = (message: string, also: object = {}): string => JSON.stringify({ error: { message, ...also } });

/** As OpenRouter documents an error before the first token. */
const OPENROUTER_CHUNK =
  ': OPENROUTER PROCESSING\n\n' +
  data({
    id: 'g1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    provider: 'x',
    error: { code: 502, message: 'Provider disconnected' },
    choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: 'error' }],
  }) +
  DONE;
const NO_ANSWER = { outcome: 'failed', input_tokens: 0, output_tokens: 0 };

describe('a stream that is no answer', () => {
  const choice = (also: object): string =>
    data({ choices: [{ index: 0, delta: { role: 'assistant', content: '' }, ...also }] });
  test.each([
    ['begins with an error beside a choice', OPENROUTER_CHUNK, 'stream_error', 'Provider disconnected'],
    [
      'begins with an error in a choice',
      choice({ error: { code: 502, message: 'Upstream gone' } }),
      'stream_error',
      'Upstream gone',
    ],
    ['finishes with an error', choice({ finish_reason: 'error' }), 'stream_error', '"error"'],
    ['begins with a bare error', data({ object: 'error', message: 'No GPU' }), 'stream_error', 'No GPU'],
    ['begins with the event error', `event: error\n${data({ message: 'No' })}`, 'stream_error', 'No'],
    ['has an empty finish reason', ROLE + choice({ finish_reason: '' }) + DONE, 'empty_stream', DONE],
  ])('that %s', async (_, body, code, shown) => {
    fail = answers(200, body, 'text/event-stream');
    const rescued = await chat('route/plain', { stream: true });
    expect(rescued.body).toBe([ROLE, delta('OK'), STOP, DONE].join(''));
    expect(rescued.headers.get('fairlead-model')).toBe('own/good');
    expect(await getRecord()).toMatchObject({
      outcome: 'succeeded',
      input_tokens: 3,
      attempts: [`own/bad:${code}`, 'own/good:ok'],
    });
    const alone = await chat('own/bad', { stream: true });
    expect(alone.body).toContain(shown);
    expect(await getRecord()).toMatchObject({ ...NO_ANSWER, error_code: code });
  });
});

describe('a document that is no answer', () => {
  const overloaded = error('Upstream overloaded', { code: 502 });
  test.each<[string, string, string, number, string]>([
    ['an error with a status', overloaded, 'application/json', 502, 'Upstream overloaded'],
    ['an error with another status', error('No credit', { code: 402 }), 'application/json', 402, 'No credit'],
    ['an error with a code', error('Busy', { code: 'busy' }), 'application/json', 502, 'Busy'],
    ['an error as a string', '{"error":"model is loading"}', 'application/json', 502, 'model is loading'],
    ['a bare error', '{"object":"error","message":"No GPU","code":503}', 'application/json', 503, 'No GPU'],
    ['a message alone', '{"detail":"Not ready"}', 'application/json', 502, 'Not ready'],
    ['a string', '"Service restarts"', 'application/json', 502, 'Service restarts'],
    ['a text', 'Service restarts', 'text/plain', 502, 'Service restarts'],
    ['a page', '<!doctype html><h1>Sorry</h1>', 'text/html', 502, 'status 502.'],
    ['no choices', '{"choices":[]}', 'application/json', 502, 'empty response'],
    ['null for choices', '{"choices":null}', 'application/json', 502, 'empty response'],
    [
      'an error in a choice',
      '{"choices":[{"error":{"code":529,"message":"Overloaded"},"finish_reason":"error"}]}',
      'application/json',
      529,
      'Overloaded',
    ],
  ])('but %s', async (_, body, type, status, shown) => {
    fail = answers(200, body, type);
    for (const also of [{}, { stream: true }]) {
      const rescued = await chat('route/plain', also);
      expect([rescued.status, rescued.headers.get('fairlead-model')]).toEqual([200, 'own/good']);
      const alone = await chat('own/bad', also);
      expect([alone.status, JSON.stringify(alone.body)]).toEqual([status, expect.stringContaining(shown)]);
      expect(await getRecord()).toMatchObject(NO_ANSWER);
    }
  });

  test('passes unchanged in the shape of OpenAI', async () => {
    fail = answers(200, overloaded);
    expect((await chat('own/bad')).body).toEqual({ error: { code: 502, message: 'Upstream overloaded' } });
  });

  test.each([
    ['with text', { choices: [{ message: { content: 'Fine' } }], error: null }],
    ['without text', { choices: [{ message: { content: '' }, finish_reason: 'stop' }], error: '' }],
    ['whose text is about an error', { choices: [{ message: { content: '{"error":{"code":502}}' } }] }],
  ])('is told from an answer %s', async (_, body) => {
    fail = answers(200, JSON.stringify(body));
    expect((await chat('route/plain')).body).toEqual(body);
  });

  test('is not looked for in a large one', async () => {
    const large = JSON.stringify({ filler: 'x'.repeat(100_000), error: { message: 'No' } });
    fail = answers(200, large);
    expect(await chat('own/bad')).toHaveStatus(200);
  });

  test('that is a failed response of the responses API is shown to whoever has no other model', async () => {
    const failed = { object: 'response', status: 'failed', error: { code: 'server_error', message: 'No' } };
    fail = answers(200, JSON.stringify({ ...failed, output: [] }));
    fake.respond = ({ body }, response) => {
      if (JSON.parse(body).model === 'bad') fail(response);
      else
        sendJson(response, 200, { object: 'response', status: 'completed', output: [{ type: 'message' }] });
    };
    const ask = (model: string) => call('/responses', { model, input: 'Hi' });
    expect((await ask('route/plain')).headers.get('fairlead-model')).toBe('own/good');
    expect((await ask('own/bad')).body).toMatchObject(failed);
    expect(await getRecord()).toMatchObject(NO_ANSWER);
  });
});

test.each([402, 408, 429, 500, 529])('a route tries its next model after %i', async (status) => {
  fail = answers(status, error('No'));
  expect((await chat('route/plain')).headers.get('fairlead-model')).toBe('own/good');
});

describe('input that is too long for a model', () => {
  test.each([
    [
      400,
      error("This model's maximum context length is 8192 tokens. Your messages resulted in 9000 tokens."),
    ],
    [400, error('Too long.', { code: 'context_length_exceeded' })],
    [400, error('the request exceeds the available context size', { type: 'exceed_context_size_error' })],
    [400, error('prompt is too long: 210000 tokens > 200000 maximum')],
    [400, error('The input token count (40000) exceeds the maximum number of tokens allowed (32768).')],
    [413, error('Please reduce the length of the messages or completion.')],
    [400, '{"error":"litellm.ContextWindowExceededError: no"}'],
  ])('goes to the next one where the route asks for it: %i %s', async (status, body) => {
    fail = answers(status, body);
    expect((await chat('route/long')).headers.get('fairlead-model')).toBe('own/good');
    expect((await chat('route/plain')).status).toBe(status);
  });

  test('is no other rejection', async () => {
    fail = answers(400, error('Invalid value: messages[0].content'));
    expect(await chat('route/long')).toHaveStatus(400);
  });
});
