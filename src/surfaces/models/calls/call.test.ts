/** Calls through HTTP to a provider on loopback. */
import { once } from 'node:events';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type FakeProvider,
  sendJson,
  startFakeProvider,
} from '../../../../test/support/models/fake-provider.ts';
import {
  data,
  delta,
  DONE,
  ROLE,
  STOP,
  toUsage,
  toUsageFrame,
} from '../../../../test/support/models/call-world.ts';
import { ExactNumber } from '../../../platform/json/exact-number.ts';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';
import { endOpenAnswers } from '../../../core/api/stream.ts';

let fake: FakeProvider;
let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;

beforeAll(async () => {
  fake = await startFakeProvider();
  app = await startTestApp({ EGRESS_ALLOW: `127.0.0.1:${fake.port}` });
  home = await startWorkspace(app);
  for (const [slug, timeout_seconds] of Object.entries({ fake: 60, hasty: 1 })) {
    const models = [{ id: 'small' }];
    const body = { kind: 'openai_compatible', name: slug, slug, base_url: fake.url, models, timeout_seconds };
    const created = await app.call('/model-providers', {
      key: home.key,
      body: { ...body, api_key: 'sk-secret' },
    });
    if (created.status !== 201) throw new Error(JSON.stringify(created.body));
  }
});
afterAll(async () => {
  await app.stop();
  await fake.stop();
});

const COMPLETION = {
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'small',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  usage: toUsage(3, 2),
};
const CHAT = { model: 'fake/small', messages: [{ role: 'user', content: 'Hi' }] };
const STREAMED = { ...CHAT, stream: true };

/** Sets the provider's behavior for the next calls. */
const onCall = (respond: (response: ServerResponse) => void): void => {
  fake.respond = (_, response) => respond(response);
};
beforeEach(() =>
  onCall((response) => {
    response.setHeader('content-length', JSON.stringify(COMPLETION).length);
    sendJson(response, 200, COMPLETION);
  }),
);

const call = (body: object, path = '/chat/completions', headers: Record<string, string> = {}) =>
  app.call(path, { key: home.key, body, headers });

const beginStream = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, { 'content-type': 'text/event-stream', 'x-ratelimit-remaining-requests': '7' });

/** Sends a call whose response the test reads itself. */
async function open(body: object, key = home.key): Promise<{ response: IncomingMessage; leave: () => void }> {
  const sent = request(`${app.base}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  });
  sent.on('error', () => undefined);
  sent.end(JSON.stringify(body));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.on('error', () => undefined);
  return { response, leave: () => void sent.destroy() };
}

describe('a call', () => {
  test('passes what the caller sent, and the response as it came', async () => {
    const body = { ...CHAT, temperature: 0.3, custom: { a: [1, null] } };
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const answer = await call(body, '/chat/completions?api-version=2&x=%20', { traceparent });
    expect(answer).toHaveStatus(200);
    expect(answer.body).toEqual(COMPLETION);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'fairlead-provider': 'fake',
      'fairlead-model': 'fake/small',
      'cache-control': 'no-store',
      'content-length': String(JSON.stringify(COMPLETION).length),
    });
    const received = fake.received.findLast(({ method }) => method === 'POST')!;
    expect(received.url).toMatch(/\/chat\/completions\?api-version=2&x=%20$/);
    expect(received.headers).toMatchObject({ traceparent, authorization: 'Bearer sk-secret' });
    expect(JSON.parse(received.body)).toEqual({ ...body, model: 'small' });
  });

  test.each([
    [
      'keys in their order',
      '{"model":"fake/small","response_format":{"type":"json_schema","json_schema":{"name":"s","schema":{"type":"object","properties":{"reasoning":{},"10":{},"2":{},"a":{}}}}},"messages":[{"role":"user","content":"x"}]}',
    ],
    [
      'a NUL character in the output of a tool',
      '{"model":"fake/small","messages":[{"role":"tool","tool_call_id":"a","content":"PK\\u0000\\u0003"}]}',
    ],
  ])('passes every byte but the name of the model: %s', async (_, text) => {
    const response = await fetch(`${app.base}/api/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${home.key}`, 'content-type': 'application/json' },
      body: text,
    });
    expect(response).toHaveStatus(200);
    const received = fake.received.findLast(({ method }) => method === 'POST')!;
    expect(received.body).toBe(text.replace('fake/small', 'small'));
  });

  test('passes numbers with all of their digits', async () => {
    const exact = ['8202522731445525543', '10.00', '1e400'].map((source) => new ExactNumber(source));
    expect(await call({ ...CHAT, temperature: new ExactNumber('1.0'), custom: exact })).toHaveStatus(200);
    const { body } = fake.received.findLast(({ method }) => method === 'POST')!;
    expect(body).toContain('"temperature":1.0');
    expect(body).toContain('"custom":[8202522731445525543,10.00,1e400]');
  });

  test('streams the frames as they came, without the usage that was not asked for', async () => {
    onCall((response) => {
      beginStream(response);
      for (const frame of [ROLE, delta('Grüße'), STOP, toUsageFrame(3, 2), DONE]) response.write(frame);
      response.end();
    });
    const answer = await call(STREAMED);
    expect(answer.body).toBe([ROLE, delta('Grüße'), STOP, DONE].join(''));
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    expect(answer.headers.get('x-ratelimit-remaining-requests')).toBe('7');
    expect(answer.headers.get('x-accel-buffering')).toBe('no');
  });

  test.each([
    [{ ...CHAT, model: 'fake/none' }, 404, 'model_not_found', 'model'],
    [{ ...CHAT, model: 'none' }, 404, 'model_not_found', 'model'],
    [{ model: 'fake/small' }, 400, 'missing_required_parameter', 'messages'],
  ])('%j is rejected in the shape of OpenAI', async (body, status, code, param) => {
    const answer = await call(body);
    expect(answer.status).toBe(status);
    expect(answer.body.error).toMatchObject({ type: 'invalid_request_error', code, param });
  });

  test('keeps the status, body and Retry-After of an error', async () => {
    const error = {
      error: { message: 'Slow down', type: 'requests', param: null, code: 'rate_limit_exceeded' },
    };
    onCall((response) => {
      response.setHeader('retry-after', '9');
      sendJson(response, 429, error);
    });
    const answer = await call(CHAT);
    expect([answer.status, answer.body]).toEqual([429, error]);
    expect(answer.headers.get('retry-after')).toBe('9');
  });

  const RETRY = { 'retry-after': '1', 'retry-after-ms': '750', 'x-should-retry': 'false' };
  test.each<[string, (response: ServerResponse) => unknown]>([
    ["in OpenAI's shape", (response) => sendJson(response, 503, { error: { message: 'Busy' } })],
    ['in another shape', (response) => response.writeHead(503).end('Busy')],
    ['within a success', (response) => sendJson(response, 200, { error: { message: 'Busy' } })],
    ['of a stream', (response) => beginStream(response).end(data({ error: { message: 'Busy' } }))],
  ])('passes what says when to repeat it with an error %s', async (_, fail) => {
    onCall((response) => {
      for (const [name, value] of Object.entries(RETRY)) response.setHeader(name, value);
      fail(response);
    });
    for (const body of [CHAT, STREAMED])
      expect(Object.fromEntries((await call(body)).headers)).toMatchObject(RETRY);
  });

  test.each([
    ['text/plain', 'Model is loading\n', 'Model is loading'],
    ['application/json', '{"detail":"Model is loading"}', 'Model is loading'],
    [
      'application/json',
      '{"detail":[{"loc":["body","messages"],"msg":"Field required"},{"msg":"Extra field"}]}',
      'Field required; Extra field',
    ],
    ['application/json', '[{"error":{"code":400,"message":"API key not valid"}}]', 'API key not valid'],
    ['application/json', '{"errors":[{"code":7003,"message":"No route"}]}', 'No route'],
    ['application/json', '{"error":"model not found"}', 'model not found'],
  ])('passes the reason of an error in %s: %s', async (type, body, reason) => {
    onCall((response) => response.writeHead(422, { 'content-type': type }).end(body));
    const { status, body: problem } = await call(CHAT);
    expect(status).toBe(422);
    expect(problem.error.message).toBe(`The model provider responded with status 422: ${reason}`);
    expect(problem.detail).toBe(problem.error.message);
  });

  test('becomes a problem with the status of an error in another shape', async () => {
    onCall((response) => response.writeHead(418, { 'content-type': 'text/html' }).end('<h1>Teapot</h1>'));
    const answer = await call(CHAT);
    expect(answer).toHaveStatus(418);
    expect(answer.body).toMatchObject({
      code: 'model_provider_error',
      status: 418,
      error: { code: 'model_provider_error', type: 'invalid_request_error' },
    });
    expect(answer.headers.get('fairlead-provider')).toBe('fake');
  });

  test('times out before the first byte, and between two', async () => {
    onCall(() => undefined);
    const late = await call({ ...CHAT, model: 'hasty/small' });
    expect(late).toHaveStatus(504);
    expect(late.body.error).toMatchObject({ code: 'model_provider_timeout', type: 'server_error' });
    onCall((response) => void beginStream(response).write(ROLE + delta('a')));
    const broken = await call({ ...STREAMED, model: 'hasty/small' });
    expect(broken).toHaveStatus(200);
    expect(broken.body).toMatch(/data: \{"error":\{.*"code":"model_provider_timeout"\}\}\n\n$/);
  });

  test('that the provider breaks off is an error', async () => {
    onCall((response) => response.destroy());
    const answer = await call(CHAT);
    expect(answer).toHaveStatus(502);
    expect(answer.body.error).toMatchObject({ code: 'model_provider_error' });
    onCall((response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100000' });
      response.write('{"choices":', () => response.write('['.repeat(70_000), () => response.destroy()));
    });
    await expect(call(CHAT)).rejects.toThrow('terminated');
  });

  test('takes no Idempotency-Key', async () => {
    const answer = await call(CHAT, '/chat/completions', { 'idempotency-key': 'a' });
    expect([answer.status, answer.body.code]).toEqual([400, 'idempotency_not_supported']);
  });
});

describe('a caller who leaves ends the call at the provider', () => {
  test.each([
    ['before the response', CHAT],
    ['before a stream', STREAMED],
  ])('%s', async (_, body) => {
    const ended = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    onCall((response) => {
      response.once('close', () => ended.resolve());
      begun.resolve();
    });
    const leaving = new AbortController();
    const failed = fetch(`${app.base}/api/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${home.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: leaving.signal,
    }).catch((error: Error) => error.name);
    await begun.promise;
    leaving.abort();
    expect(await failed).toBe('AbortError');
    await ended.promise;
  });

  test('in a stream, and while it does not read', async () => {
    for (const reads of [true, false]) {
      const ended = Promise.withResolvers<void>();
      onCall((response) => {
        response.once('close', () => ended.resolve());
        beginStream(response).write(ROLE + delta('a'));
      });
      const { response, leave } = await open(STREAMED);
      if (reads) await once(response, 'data');
      leave();
      await ended.promise;
      expect(response.complete).toBe(false);
    }
  });
});

test('a caller who stops reading stops the provider', async () => {
  const frame = delta('x'.repeat(4_000));
  let sent = 0;
  let isEnded = false;
  onCall((response) => {
    beginStream(response).write(ROLE);
    const more = (): void => {
      if (response.destroyed) return;
      sent += frame.length;
      if (response.write(frame)) setImmediate(more);
      else response.once('drain', more);
    };
    response.once('close', () => (isEnded = true));
    more();
  });
  const { response, leave } = await open(STREAMED);
  await once(response, 'readable');
  // Without back-pressure it would never stop.
  let before: number;
  do {
    before = sent;
    await sleep(300);
  } while (sent !== before);
  expect(isEnded).toBe(false);
  leave();
  await vi.waitFor(() => expect(isEnded).toBe(true), PATIENCE);
});

test('a revoked key and a stop of the server end the response and the call', async () => {
  const { key, keyId } = await (async () => {
    const body = { name: 'short', preset: 'full', rate_limit: null };
    const made = await home.owner.call('/api-keys', { workspace: home.workspace, body });
    return { key: made.body.secret as string, keyId: made.body.id as string };
  })();
  for (const how of ['revoked', 'stopped']) {
    const ended = Promise.withResolvers<void>();
    onCall((response) => {
      response.once('close', () => ended.resolve());
      beginStream(response).write(ROLE + delta('a'));
    });
    const { response } = await open(STREAMED, how === 'revoked' ? key : home.key);
    await once(response, 'data');
    const cut = new Promise((resolve) => response.once('close', resolve));
    if (how === 'revoked')
      await home.owner.call(`/api-keys/${keyId}/revoke`, { workspace: home.workspace, body: {} });
    else endOpenAnswers();
    await cut;
    expect(response.complete, how).toBe(false);
    await ended.promise;
  }
  const waiting = Promise.withResolvers<void>();
  onCall(() => waiting.resolve());
  const answer = call(CHAT);
  await waiting.promise;
  endOpenAnswers();
  expect(await answer).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
});

test('an error in a stream passes as it came', async () => {
  const error = data({ error: { message: 'overloaded', type: 'server_error', code: null } });
  onCall((response) => beginStream(response).end(ROLE + delta('a') + error));
  expect((await call(STREAMED)).body).toBe(ROLE + delta('a') + error);
});
