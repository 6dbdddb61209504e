import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeKey } from '../../../../test/support/workspaces.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';
import { publicId, toUuid } from '../../../core/vocabulary/ids.ts';
import { createContentCapture } from './call-content.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
/** Key of the calls. */
let caller: string;
beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app);
  caller = home.key;
});
afterAll(() => app.stop());

const get = (path: string, key = home.key) => app.call(path, { key });
const setStoring = async (store_model_calls: boolean) => {
  const { status, body } = await app.call(`/workspaces/${home.workspace}`, {
    key: home.key,
    method: 'PATCH',
    body: { store_model_calls },
  });
  expect([status, body.store_model_calls]).toEqual([200, store_model_calls]);
  // For callers that call often, the setting is read every half second.
  caller = await makeKey(home, { preset: 'full' });
};
const ask = async (content: string, more: object = {}): Promise<string> => {
  const messages = [{ role: 'user', content }];
  const answer = await fetch(`${app.base}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'fairlead/echo', messages, ...more }),
  });
  return answer.text();
};
const last = async () => {
  const { body } = await get('/model-calls?limit=1');
  return (await get(`/model-calls/${body.data[0].id}`)).body;
};

describe('a model call', () => {
  test('shares the ID of its request', async () => {
    const body = { model: 'fairlead/echo', messages: [{ role: 'user', content: 'hello' }] };
    const { headers } = await app.call('/chat/completions', { key: home.key, body });
    const { id } = await last();
    expect(toUuid('model_call', id)).toBe(toUuid('request', headers.get('fairlead-request-id')!));
  });

  test('is listed without what it asked and got, newest first', async () => {
    await ask('first');
    await ask('second');
    const { status, body } = await get('/model-calls?limit=1');
    expect([status, body.data.length, body.has_more]).toEqual([200, 1, true]);
    expect(body.data[0]).toMatchObject({
      object: 'model_call',
      operation: 'chat/completions',
      model: 'fairlead/echo',
      provider_id: null,
      route: null,
      actor: home.keyId,
      outcome: 'succeeded',
      status: 200,
      error_code: null,
      attempts: null,
      cost_usd: 0,
      has_content: false,
      test: false,
    });
    expect(body.data[0].output_tokens).toBeGreaterThan(0);
    const next = await get(`/model-calls?cursor=${body.next_cursor}`);
    expect(next.body.data[0].id < body.data[0].id).toBe(true);
    expect(next.body.has_more).toBe(false);
    const before = await get(`/model-calls?created_before=${new Date(Date.now() - 3_600_000).toISOString()}`);
    expect(before.body.data).toEqual([]);
    expect((await last()).content).toBeNull();
  });

  test('keeps both only where the workspace asks for it, sealed', async () => {
    await setStoring(true);
    const response = await ask('a private question');
    const { content, has_content } = await last();
    expect(has_content).toBe(true);
    expect(JSON.parse(content.request)).toMatchObject({
      model: 'fairlead/echo',
      messages: [{ content: 'a private question' }],
    });
    expect(content).toMatchObject({ response, truncated: false });
    const stream = await ask('a private stream', { stream: true });
    expect(stream).toContain('data: [DONE]');
    expect((await last()).content.response).toBe(stream);
    const { rows } = await app.database.pool.query('select t::text as row from model_call_contents t');
    expect(rows).toHaveLength(2);
    expect(JSON.stringify(rows)).not.toContain('private');
    await setStoring(false);
    await ask('a later question');
    expect((await last()).content).toBeNull();
  });

  test('is cut to 64 KiB, between characters', async () => {
    await setStoring(true);
    await ask('ä'.repeat(70_000));
    const { content } = await last();
    expect(content.truncated).toBe(true);
    for (const text of [content.request, content.response]) {
      expect(Buffer.byteLength(text)).toBeGreaterThan(64 * 1024 - 2);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(64 * 1024);
      expect(text).not.toContain('\ufffd');
    }
    await setStoring(false);
  });

  test('keeps the response of a provider that fails, and none that was never opened', async () => {
    const made = await app.call('/model-providers', {
      key: home.key,
      body: {
        kind: 'openai_compatible',
        slug: 'gone',
        base_url: 'http://models.invalid/v1',
        models: [{ id: 'a' }],
      },
    });
    expect(made).toHaveStatus(201);
    await setStoring(true);
    await ask('nobody there', { model: 'gone/a' });
    const call = await last();
    expect(call).toMatchObject({ outcome: 'failed', provider_id: made.body.id, status: 502 });
    expect(call.content).toMatchObject({ response: null, truncated: false });
    await setStoring(false);
  });

  test('is read with audit:read alone, by its own workspace', async () => {
    const { id } = (await get('/model-calls?limit=1')).body.data[0];
    const key = await makeKey(home, { scopes: ['usage:read', 'models:read', 'models:invoke'] });
    for (const path of ['/model-calls', `/model-calls/${id}`]) expect(await get(path, key)).toHaveStatus(403);
    const other = await startWorkspace(app);
    expect(await get(`/model-calls/${id}`, other.key)).toHaveStatus(404);
    expect((await get('/model-calls', other.key)).body.data).toEqual([]);
    const unknown = publicId('model_call', toUuid('workspace', home.workspace)!);
    expect(await get(`/model-calls/${unknown}`)).toHaveStatus(404);
  });
});

test('a capture holds no more than it keeps', () => {
  const capture = createContentCapture(Buffer.from('{"model":"a/b"}'));
  expect(capture.get()).toEqual({ request: '{"model":"a/b"}', response: null, truncated: false });
  for (let n = 0; n < 100; n += 1) capture.add(Buffer.alloc(1024, 'x'));
  const { response, truncated } = capture.get();
  expect([response!.length, truncated]).toEqual([64 * 1024, true]);
});
