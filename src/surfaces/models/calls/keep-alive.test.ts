/**
 * Tests keep-alive comments for callers of streams while the model is silent, over HTTP. Only intervals are fake: they
 * are the keep-alive's clock.
 */
import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { data, delta, DONE, ROLE, STOP, toUsageFrame } from '../../../../test/support/models/call-world.ts';
import {
  type FakeProvider,
  sendJson,
  startFakeProvider,
} from '../../../../test/support/models/fake-provider.ts';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';

const INTERVAL_MS = 15_000;
const COMMENT = ': keep-alive\n\n';

let fake: FakeProvider;
let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
/** Responses that the provider has not begun, in the order of the calls. */
let waiting: ServerResponse[];

beforeAll(async () => {
  fake = await startFakeProvider();
  app = await startTestApp({ EGRESS_ALLOW: `127.0.0.1:${fake.port}` });
  home = await startWorkspace(app);
  await app.call('/model-providers', {
    key: home.key,
    body: {
      kind: 'openai_compatible',
      slug: 'own',
      base_url: fake.url,
      models: [{ id: 'a' }, { id: 'b' }],
    },
  });
  const attempts = [{ model: 'own/a' }, { model: 'own/b' }];
  await app.call('/model-routes', { key: home.key, body: { name: 'both', attempts } });
});
afterAll(async () => {
  await app.stop();
  await fake.stop();
});
beforeEach(() => {
  waiting = [];
  fake.respond = (_, response) => void waiting.push(response);
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(() => void vi.useRealTimers());

/** Sends a call, and collects the data that its caller has received so far. */
function send(body: object, path = '/chat/completions') {
  const caller = { status: 0, headers: new Headers(), text: '', isDone: false };
  const done = (async () => {
    const response = await fetch(`${app.base}/api/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${home.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    Object.assign(caller, { status: response.status, headers: response.headers });
    const decoder = new TextDecoder();
    for await (const chunk of response.body!) caller.text += decoder.decode(chunk, { stream: true });
    caller.isDone = true;
  })();
  return Object.assign(caller, { done });
}
const ask = (model: string, also: object = {}) =>
  send({ model, messages: [{ role: 'user', content: 'Hi' }], stream: true, ...also });
const received = (count: number) => expect.poll(() => waiting.length, PATIENCE).toBe(count);
const pass = (): void => void vi.advanceTimersByTime(INTERVAL_MS);
const got = (caller: { text: string }, text: string) => expect.poll(() => caller.text, PATIENCE).toBe(text);
const begin = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, { 'content-type': 'text/event-stream' });
const FINE = [ROLE, delta('OK'), STOP, toUsageFrame(3, 1), DONE];
const FINE_TEXT = [ROLE, delta('OK'), STOP, DONE].join('');
const getRecord = async () =>
  (await app.call('/model-calls?limit=1', { key: home.key })).body.data[0] as Record<string, unknown>;

describe('a caller of a stream that waits', () => {
  test('gets a comment every 15 s, then the stream', async () => {
    const caller = ask('own/a');
    await received(1);
    vi.advanceTimersByTime(INTERVAL_MS - 1);
    expect(caller.status).toBe(0);
    vi.advanceTimersByTime(1);
    await got(caller, COMMENT);
    expect([caller.status, caller.headers.get('content-type'), caller.headers.get('fairlead-model')]).toEqual(
      [200, 'text/event-stream', 'own/a'],
    );
    pass();
    await got(caller, COMMENT.repeat(2));
    begin(waiting[0]!).end(FINE.join(''));
    await caller.done;
    expect(caller.text).toBe(COMMENT.repeat(2) + FINE_TEXT);
    expect(await getRecord()).toMatchObject({ outcome: 'succeeded', status: 200, input_tokens: 3 });
  });

  test('gets comments between two frames, and none within one', async () => {
    const caller = ask('own/a', { stream_options: { include_usage: true } });
    await received(1);
    const response = begin(waiting[0]!);
    const frame = delta('OK');
    response.write(ROLE);
    await got(caller, ROLE);
    pass();
    await got(caller, ROLE + COMMENT);
    response.write(frame.slice(0, 20));
    await got(caller, ROLE + COMMENT + frame.slice(0, 20));
    pass();
    response.end(frame.slice(20) + STOP + DONE);
    await caller.done;
    expect(caller.text).toBe(ROLE + COMMENT + frame + STOP + DONE);
  });

  test('gets the next model of a route after comments', async () => {
    const caller = ask('route/both');
    await received(1);
    pass();
    await got(caller, COMMENT);
    expect(caller.headers.get('fairlead-model')).toBeNull();
    sendJson(waiting[0]!, 429, { error: { message: 'Slow down' } });
    await received(2);
    pass();
    await got(caller, COMMENT.repeat(2));
    begin(waiting[1]!).end(FINE.join(''));
    await caller.done;
    expect(caller.text).toBe(COMMENT.repeat(2) + FINE_TEXT);
    expect(await getRecord()).toMatchObject({ attempts: ['own/a:http_429', 'own/b:ok'] });
  });

  const overloaded = { message: 'Overloaded', type: 'overloaded', param: null, code: 'busy' };
  test.each<[string, (response: ServerResponse) => void, object]>([
    ['in the shape of OpenAI', (response) => sendJson(response, 503, { error: overloaded }), overloaded],
    [
      'in another shape',
      (response) => sendJson(response, 503, { detail: 'No GPU' }),
      { message: 'The model provider responded with status 503: No GPU', code: 'model_provider_error' },
    ],
    ['in a success', (response) => sendJson(response, 200, { error: overloaded }), overloaded],
    ['of the connection', (response) => response.destroy(), { code: 'model_provider_error' }],
    [
      'of a document',
      (response) => sendJson(response, 200, { choices: [{ message: { content: 'Late' } }] }),
      { code: 'model_provider_error' },
    ],
  ])('gets an error %s as a frame', async (_, fail, error) => {
    const caller = ask('own/a');
    await received(1);
    pass();
    await got(caller, COMMENT);
    fail(waiting[0]!);
    await caller.done;
    expect(caller.text.startsWith(`${COMMENT}data: `)).toBe(true);
    expect(JSON.parse(caller.text.slice(`${COMMENT}data: `.length))).toMatchObject({ error });
    expect(await getRecord()).toMatchObject({ outcome: 'failed', status: 200 });
  });

  test('gets an error of the responses API as its event', async () => {
    const caller = send({ model: 'own/a', input: 'Hi', stream: true }, '/responses');
    await received(1);
    pass();
    await got(caller, COMMENT);
    sendJson(waiting[0]!, 500, { error: overloaded });
    await caller.done;
    const event = { type: 'error', code: 'busy', message: 'Overloaded', param: null, error: overloaded };
    expect(caller.text).toBe(`${COMMENT}event: error\n${data(event)}`);
  });

  test('gets an error with its status before the first comment', async () => {
    const caller = ask('own/a');
    await received(1);
    sendJson(waiting[0]!, 503, { error: overloaded });
    await caller.done;
    expect(caller).toHaveStatus(503);
  });
});

test('a caller who wants no stream gets no comment', async () => {
  const caller = ask('own/a', { stream: false });
  await received(1);
  pass();
  sendJson(waiting[0]!, 200, { choices: [{ message: { content: 'OK' } }] });
  await caller.done;
  expect(caller.text).toBe('{"choices":[{"message":{"content":"OK"}}]}');
});
