import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  COMPLETION,
  type FakeProvider,
  sendJson,
  startFakeProvider,
} from '../../../../test/support/models/fake-provider.ts';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';
import { getEvents } from '../../../../test/support/workspaces.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';

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
async function create(fields: object = {}) {
  const body = {
    kind: 'openai_compatible',
    slug: `p${++created}`,
    base_url: fake.url,
    models: [{ id: 'small' }],
    ...fields,
  };
  return (await call('/model-providers', body)).body;
}
const chat = (model: string, also: object = {}) =>
  call('/chat/completions', { model, messages: [{ role: 'user', content: 'Hello!' }], ...also });
const getState = async (id: string) => (await call(`/model-providers/${id}`)).body.state;
const getHealthEvents = async (id: string) =>
  (await getEvents(app, toUuid('workspace', home.workspace)!))
    .filter(({ data }) => data.object.id === id)
    .map(({ type }) => type)
    .filter((type) => type === 'model_provider.failing' || type === 'model_provider.recovered');

describe('a model of a provider', () => {
  test('is called by its ID or alias, with the name that the provider knows', async () => {
    const { slug } = await create({
      models: [{ id: 'vendor/small' }, { id: 'vendor/small', alias: 'fast' }],
    });
    for (const name of ['vendor/small', 'fast']) {
      const answer = await chat(`${slug}/${name}`);
      expect(answer.body.choices[0].message.content).toBe('OK');
      expect(answer.headers.get('fairlead-provider')).toBe(slug);
      expect(answer.headers.get('fairlead-model')).toBe(`${slug}/${name}`);
    }
    const sent = fake.received.filter(({ method }) => method === 'POST');
    expect(sent.map(({ body }) => JSON.parse(body).model)).toEqual(['vendor/small', 'vendor/small']);
  });

  test('that a kind does not support is refused', async () => {
    const { slug } = await create({ kind: 'anthropic' });
    const answer = await call('/embeddings', { model: `${slug}/small`, input: 'Hello' });
    expect([answer.status, answer.body.error.code]).toEqual([422, 'unsupported_by_provider']);
  });

  test('is found with changes of its provider at once', async () => {
    const { id, slug } = await create();
    await call(`/model-providers/${id}`, { slug: `${slug}-new` }, 'PATCH');
    expect(await chat(`${slug}/small`)).toHaveStatus(404);
    expect(await chat(`${slug}-new/small`)).toHaveStatus(200);
    await call(`/model-providers/${id}`, { enabled: false }, 'PATCH');
    expect(await chat(`${slug}-new/small`)).toHaveStatus(404);
  });

  test('waits for a slot, and is rejected if none becomes free in time', async () => {
    const { slug } = await create({ max_concurrency: 1, timeout_seconds: 1 });
    const waiting: (() => void)[] = [];
    fake.respond = (_, response) => void waiting.push(() => sendJson(response, 200, COMPLETION));
    const attempts = [{ model: `${slug}/small`, timeout_seconds: 60 }];
    await call('/model-routes', { name: 'patient', attempts });
    const first = chat('route/patient');
    await expect.poll(() => waiting.length, PATIENCE).toBe(1);
    const second = await chat(`${slug}/small`);
    expect([second.status, second.body.code]).toEqual([429, 'rate_limited']);
    expect(second.headers.get('retry-after')).toBe('1');
    waiting[0]!();
    await first;
    fake.respond = (_, response) => sendJson(response, 200, COMPLETION);
    expect(await chat(`${slug}/small`)).toHaveStatus(200);
  });

  test('is hidden from a key that may not call it', async () => {
    const { slug } = await create({ models: [{ id: 'a' }, { id: 'b' }] });
    const limited = await startKey([`${slug}/a`]);
    const ids = (await app.call('/models', { key: limited })).body.data.map(({ id }: { id: string }) => id);
    expect(ids).toEqual([`${slug}/a`]);
    expect(await app.call(`/models/${slug}/a`, { key: limited })).toHaveStatus(200);
    expect(await app.call(`/models/${slug}/b`, { key: limited })).toHaveStatus(404);
  });
});

async function startKey(allowed_models: string[]): Promise<string> {
  const body = { name: 'limited', scopes: ['models:read', 'models:invoke'], allowed_models };
  return (await home.owner.call('/api-keys', { workspace: home.workspace, body })).body.secret;
}

test('a model without a price, whose provider reports costs, is called on a budget in US dollars', async () => {
  const { key } = await startWorkspace(app);
  const price = { prompt: '0.000003', completion: '0.000015', input_cache_write: '0.00000375' };
  fake.list = {
    data: [
      { id: 'openrouter/auto', pricing: { prompt: '-1', completion: '-1' } },
      { id: 'anthropic/claude-x', pricing: price },
    ],
  };
  const usage = {
    prompt_tokens: 100_000,
    completion_tokens: 100,
    total_tokens: 100_100,
    prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 99_000 },
    cost: 0.37575,
  };
  fake.respond = (_, response) => sendJson(response, 200, { ...COMPLETION, usage });
  const provider = { kind: 'openrouter', name: 'r', slug: 'r', base_url: fake.url, api_key: 'sk' };
  const { id } = (await app.call('/model-providers', { key, body: provider })).body;
  await app.call(`/model-providers/${id}/refresh`, { key, method: 'POST' });
  const budget = { name: 'b', limit: { usd: 1 }, window: 'total' };
  const { id: budgetId } = (await app.call('/budgets', { key, body: budget })).body;
  const ask = async (model: string, max_tokens: number) => {
    const body = { model, max_tokens, messages: [{ role: 'user', content: 'Hi' }] };
    return (await app.call('/chat/completions', { key, body })).status;
  };
  const getUsed = async () => (await app.call(`/budgets/${budgetId}`, { key })).body.used;
  expect(await ask('r/openrouter/auto', 1_000)).toBe(200);
  await expect.poll(getUsed, PATIENCE).toBe(0.37575);
  // The listed price, and the provider's charge.
  expect(await ask('r/anthropic/claude-x', 1_000)).toBe(200);
  await expect.poll(getUsed, PATIENCE).toBe(0.7515);
  // The highest price of the list is reserved: $0.6 for the output alone.
  expect(await ask('r/openrouter/auto', 40_000)).toBe(402);
});

describe('a provider', () => {
  test('is failing after three failed calls in a row, and recovers with the next success', async () => {
    const { id, slug } = await create();
    await expect
      .poll(async () => (await call(`/model-providers/${id}`)).body.listed_at, PATIENCE)
      .not.toBeNull();
    const chatWith = async (status: number): Promise<void> => {
      const body = status === 200 ? COMPLETION : { error: { message: 'No.' } };
      fake.respond = (_, response) => sendJson(response, status, body);
      await chat(`${slug}/small`);
    };
    for (const status of [500, 401, 200, 503, 500, 404, 429]) await chatWith(status);
    expect(await getState(id)).toBe('active');
    await chatWith(403);
    await expect.poll(() => getState(id), PATIENCE).toBe('failing');
    expect((await call(`/model-providers/${id}`)).body.last_error).toEqual({
      code: 'unauthorized',
      detail: 'The provider rejected the credentials (403).',
    });
    for (const status of [500, 500, 500, 500]) await chatWith(status);
    await chatWith(200);
    await expect.poll(() => getState(id), PATIENCE).toBe('active');
    expect(await getHealthEvents(id)).toEqual(['model_provider.failing', 'model_provider.recovered']);
  });

  test('is failing if it closes connections', async () => {
    const { id, slug } = await create();
    await expect
      .poll(async () => (await call(`/model-providers/${id}`)).body.listed_at, PATIENCE)
      .not.toBeNull();
    fake.respond = (_, response) => response.destroy();
    for (let nth = 0; nth < 3; nth++) expect(await chat(`${slug}/small`)).toHaveStatus(502);
    await expect.poll(() => getState(id), PATIENCE).toBe('failing');
  });
});
