/** Which models of a provider can be called, and when. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
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
beforeAll(async () => {
  fake = await startFakeProvider();
  app = await startTestApp({ EGRESS_ALLOW: `127.0.0.1:${fake.port}` });
  home = await startWorkspace(app);
});
afterAll(async () => {
  await app.stop();
  await fake.stop();
});
beforeEach(() => {
  fake.received.length = 0;
  fake.respond = (_, response) => sendJson(response, 200, COMPLETION);
});

const call = (path: string, body?: unknown, method?: string) =>
  app.call(path, { key: home.key, body, method });
let created = 0;
const create = async (fields: object = {}) => {
  const body = { kind: 'openai_compatible', slug: `p${++created}`, base_url: fake.url, ...fields };
  const answer = await call('/model-providers', body);
  expect(answer).toHaveStatus(201);
  return answer.body;
};
const refresh = async (id: string) => (await call(`/model-providers/${id}/refresh`, {})).body;
const chat = (model: string) =>
  call('/chat/completions', { model, messages: [{ role: 'user', content: 'Hi' }] });
const getCalled = () =>
  fake.received.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body).model);

describe('models with spaces and letters beyond ASCII', () => {
  const NAMES = ['/srv/ai/My Models/gemma.gguf', '模型-7b'];

  test('are listed, described and called', async () => {
    fake.list = { object: 'list', data: NAMES.map((id) => ({ id, object: 'model' })) };
    const { id, slug } = await create();
    expect((await refresh(id)).models_count).toBe(2);
    const ids = (await call('/models')).body.data.map((model: { id: string }) => model.id);
    expect(ids).toEqual(expect.arrayContaining(NAMES.map((name) => `${slug}/${name}`)));
    for (const name of NAMES) {
      const path = `/models/${encodeURIComponent(`${slug}/${name}`)}`;
      expect((await call(path)).body.id).toBe(`${slug}/${name}`);
      const answer = await chat(`${slug}/${name}`);
      expect([answer.status, answer.headers.get('fairlead-provider')]).toEqual([200, slug]);
      expect(decodeURIComponent(answer.headers.get('fairlead-model')!)).toBe(`${slug}/${name}`);
    }
    expect(getCalled()).toEqual(NAMES);
  });

  test('can be chosen, renamed, priced and put into a route', async () => {
    const [file] = NAMES as [string, string];
    const { slug } = await create({
      models: [{ id: file, alias: 'gemma 3 – klein' }],
      prices: { [file]: { input: 1, output: 2 } },
    });
    const attempts = [{ model: `${slug}/gemma 3 – klein` }];
    expect(await call('/model-routes', { name: 'spaced', attempts })).toHaveStatus(201);
    expect(await chat('route/spaced')).toHaveStatus(200);
    expect(getCalled()).toEqual([file]);
    const [last] = (await call('/model-calls?limit=1')).body.data;
    expect(last).toMatchObject({ model: `${slug}/gemma 3 – klein`, outcome: 'succeeded' });
  });

  test.each([' a', 'a ', 'a\nb', ''])('are no names like %j', async (id) => {
    const { status, body } = await call('/model-providers', {
      kind: 'openai_compatible',
      base_url: fake.url,
      models: [{ id }],
    });
    expect([status, body.errors[0].pointer]).toEqual([400, '/models/0/id']);
  });
});

describe('a model', () => {
  test('can be called before the list of its provider was read, and after it only if it is in the list', async () => {
    // The list can't be read yet.
    fake.list = 503;
    const { id, slug } = await create();
    expect(await chat(`${slug}/small`)).toHaveStatus(200);
    const attempts = [{ model: `${slug}/small` }];
    expect(await call('/model-routes', { name: 'early', attempts })).toHaveStatus(201);
    fake.list = { data: [{ id: 'small' }] };
    await refresh(id);
    expect(await chat(`${slug}/small`)).toHaveStatus(200);
    const missing = await chat(`${slug}/other`);
    expect([missing.status, missing.body.error.code]).toEqual([404, 'model_not_found']);
  });
});

describe('a provider without a model list', () => {
  test.each([404, 405, 501])('and with models is not failing: %i', async (status) => {
    fake.list = status;
    const { id, slug } = await create({ models: [{ id: 'small' }] });
    expect(await refresh(id)).toMatchObject({ state: 'active', last_error: null, listed_at: null });
    expect(await chat(`${slug}/small`)).toHaveStatus(200);
  });

  test('but with a page, and with models is not failing', async () => {
    fake.list = { hello: 'world' };
    const { id } = await create({ models: [{ id: 'small' }] });
    expect((await refresh(id)).state).toBe('active');
  });

  test('is failing without models, and active again with them', async () => {
    fake.list = 404;
    const { id } = await create();
    expect((await refresh(id)).state).toBe('failing');
    await call(`/model-providers/${id}`, { models: [{ id: 'small' }] }, 'PATCH');
    expect((await refresh(id)).state).toBe('active');
  });

  test.each([401, 500])('that responds with %i is failing', async (status) => {
    fake.list = status;
    const { id } = await create({ models: [{ id: 'small' }] });
    expect((await refresh(id)).state).toBe('failing');
  });
});

test('a test of a provider that sends a page instead of an answer says so', async () => {
  fake.list = { data: [{ id: 'small' }] };
  fake.respond = (_, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello</h1>');
  const { id } = await create();
  const { status, body } = await call(`/model-providers/${id}/test`, {});
  expect([status, body.ok, body.call.error]).toEqual([
    200,
    false,
    { code: 'error_response', detail: 'The model provider responded with status 502.' },
  ]);
});
