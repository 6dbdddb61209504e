/** Callers of models who leave, who don't read, and who come back: through HTTP, with a provider that records what it sees. */
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type ModelWorld, startModelWorld } from '../support/models/model-world.ts';
import {
  type ScriptedUpstream,
  startScriptedUpstream,
  type UpstreamCall,
} from '../support/models/scripted-upstream.ts';
import { PATIENCE } from '../support/patience.ts';

/** What sockets and their buffers may hold of a stream that nobody reads: of the caller and of the provider, on loopback. */
const MAX_UNREAD_BYTES = 24 * 1024 * 1024;
/** Without back-pressure, a flood of this time is far more than that. */
const UNREAD_MS = 1_500;
const READERS = 5;

let world: ModelWorld;
let upstream: ScriptedUpstream;
let agent: Agent;
beforeAll(async () => {
  upstream = await startScriptedUpstream();
  world = await startModelWorld();
  await world.createProvider({ slug: 'up', base_url: upstream.url });
  agent = new Agent({ keepAlive: true });
});
beforeEach(() => {
  upstream.calls.length = 0;
});
afterAll(async () => {
  agent?.destroy();
  await world?.stop();
  await upstream?.[Symbol.asyncDispose]();
});

interface Call {
  call: ClientRequest;
  response: Promise<IncomingMessage>;
}

function send(key: string, body: object, path = '/chat/completions'): Call {
  const call = request(`${world.url.replace('localhost', '127.0.0.1')}${path}`, {
    agent,
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  });
  const response = new Promise<IncomingMessage>((resolve) => call.once('response', resolve));
  call.on('error', () => {});
  call.end(JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }], ...body }));
  return { call, response };
}

const until = <T>(what: () => T | Promise<T>) => vi.waitFor(what, PATIENCE);
const firstCall = (): Promise<UpstreamCall> =>
  until(() => {
    expect(upstream.calls[0]?.body).toBeTruthy();
    return upstream.calls[0]!;
  });

/** A key with a budget of so many calls. */
async function createBudget(calls: number): Promise<{ key: string; read: () => Promise<object> }> {
  const { id, secret } = await world.createKey();
  const limit = { calls };
  const budget = await world.call('/budgets', { name: 'Calls', api_key_id: id, limit, window: 'total' });
  return { key: secret, read: () => world.call(`/budgets/${budget.id}`) };
}

test.each([true, false])(
  'a caller who leaves ends the call at the provider (streamed: %s)',
  async (stream) => {
    const { key, read } = await createBudget(5);
    const { call, response } = send(key, { model: 'up/slow', stream });
    const seen = await firstCall();
    if (stream) {
      const opened = await response;
      opened.on('error', () => {});
      await new Promise((resolve) => opened.once('data', resolve));
    }
    expect(await read()).toMatchObject({ used: 0, reserved: 1, remaining: 4 });
    call.destroy();
    await until(() => expect(seen.abortedAt).not.toBeNull());
    await until(async () => expect(await read()).toMatchObject({ used: 1, reserved: 0, remaining: 4 }));
    const { rows } = await world.app.database.pool.query(
      'select outcome, is_estimated from model_calls order by id desc limit 1',
    );
    expect(rows).toEqual([{ outcome: 'canceled', is_estimated: true }]);
  },
);

test('a caller who leaves before the provider is called causes no call', async () => {
  const { key, read } = await createBudget(5);
  const { call } = send(key, { model: 'up/well' });
  call.once('finish', () => call.destroy());
  await new Promise((resolve) => call.once('close', resolve));
  await until(async () => expect(await read()).toMatchObject({ reserved: 0 }));
});

test(
  'a reader that stops reading stops the provider, and gets the rest later',
  { timeout: 240_000 },
  async () => {
    const { key } = await createBudget(READERS);
    const readers = Array.from({ length: READERS }, () => send(key, { model: 'up/flood', stream: true }));
    const responses = await Promise.all(readers.map(({ response }) => response));
    for (const response of responses) response.on('error', () => {}).pause();
    const total = (): number => upstream.calls.reduce((sum, { written }) => sum + written, 0);
    // It stands still once all buffers are full.
    let before = -1;
    await until(async () => {
      before = total();
      await new Promise((resolve) => setTimeout(resolve, UNREAD_MS));
      expect(total()).toBe(before);
    });
    for (const { written } of upstream.calls) expect(written).toBeLessThan(MAX_UNREAD_BYTES);
    let received = 0;
    responses[0]!.on('data', (chunk: Buffer) => (received += chunk.length)).resume();
    await until(() => expect(received).toBeGreaterThan(2 * MAX_UNREAD_BYTES));
    for (const { call } of readers) call.destroy();
    await until(() => expect(upstream.calls.filter(({ abortedAt }) => abortedAt === null)).toEqual([]));
  },
);

test('bytes, query parameters and traceparent pass unchanged', async () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const body = {
    model: 'up/well',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Größe 灯台' }] }],
    future_field: { nested: [1, 2.5, null, 'ü'] },
    stream: true,
    stream_options: { include_usage: true },
  };
  const post = (url: string, headers: Record<string, string>, model: string) =>
    fetch(`${url}/chat/completions?api-version=2026-01-01&x=%20y`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', traceparent },
      body: JSON.stringify({ ...body, model }),
    });
  const through = await post(world.url, { authorization: `Bearer ${world.home.key}` }, body.model);
  const direct = await post(upstream.url, {}, 'well');
  expect(await through.text()).toBe(await direct.text());
  const [ours, theirs] = upstream.calls;
  expect(ours!.query).toBe(theirs!.query);
  expect(ours!.body).toEqual(theirs!.body);
  expect(ours!.headers.traceparent).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-[\da-f]{16}-01$/);
  expect(ours!.headers.authorization).toBeUndefined();
  expect(ours!.headers.cookie).toBeUndefined();
  expect(through.headers.get('fairlead-provider')).toBe('up');
  expect(through.headers.get('fairlead-model')).toBe('up/well');
});
