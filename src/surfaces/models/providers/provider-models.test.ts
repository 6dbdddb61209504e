import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { allowing, startEgress } from '../../../../test/support/egress.ts';
import { unitsFor } from '../../../../test/support/events/outbox.ts';
import {
  COMPLETION,
  type FakeProvider,
  sendJson,
  startFakeProvider,
} from '../../../../test/support/models/fake-provider.ts';
import {
  startTestApp,
  startWorkspace,
  TEST_SECRET,
  type TestApp,
} from '../../../../test/support/test-app.ts';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { getEvents } from '../../../../test/support/workspaces.ts';
import type { JobPayloads } from '../../../platform/jobs/job-queue.ts';
import { createSecretBox } from '../../../platform/crypto/secret-box.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { applyList, enqueueDueProviders, executeRefresh, readListOf } from './refresh.ts';

const KEY = 'sk-very-secret-key-0123456789';

let fake: FakeProvider;
let other: FakeProvider;
let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
beforeAll(async () => {
  [fake, other] = await Promise.all([startFakeProvider(), startFakeProvider()]);
  app = await startTestApp({
    EGRESS_ALLOW: `127.0.0.1:${fake.port},127.0.0.1:${other.port}`,
    WORKSPACE_LIMITS: 'model_providers=40',
  });
  home = await startWorkspace(app);
});
afterAll(async () => {
  await app.stop();
  await Promise.all([fake.stop(), other.stop()]);
});
const LIST = {
  object: 'list',
  data: [{ id: 'small', object: 'model', created: 1_700_000_000, owned_by: 'fake' }],
};
beforeEach(() => {
  fake.list = LIST;
  fake.respond = (_, response) => sendJson(response, 200, COMPLETION);
  fake.received.length = 0;
});

const call = (path: string, body?: unknown, method?: string, headers?: Record<string, string>) =>
  app.call(path, { key: home.key, body, method, headers });
let created = 0;
async function create(fields: object = {}, key = home.key) {
  const body = {
    kind: 'openai_compatible',
    name: `P${++created}`,
    base_url: fake.url,
    api_key: KEY,
    ...fields,
  };
  const answer = await app.call('/model-providers', { key, body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body;
}
const refresh = async (id: string) => (await call(`/model-providers/${id}/refresh`, undefined, 'POST')).body;
const readEvents = async (id: string) =>
  (await getEvents(app, toUuid('workspace', home.workspace)!)).filter(
    ({ data }: { data: { object: { id: string } } }) => data.object.id === id,
  );
const getTypes = async (id: string) => (await readEvents(id)).map(({ type }: { type: string }) => type);
const modelIds = async (slug: string): Promise<string[]> =>
  (await call('/models')).body.data
    .map(({ id }: { id: string }) => id)
    .filter((id: string) => id.startsWith(`${slug}/`));

describe('the models of a provider', () => {
  test('are read soon after it is created', async () => {
    const { id, slug } = await create();
    await expect.poll(() => modelIds(slug), PATIENCE).toEqual([`${slug}/small`]);
    expect((await call(`/model-providers/${id}`)).body).toMatchObject({ models_count: 1 });
    const { body } = await call(`/models/${slug}/small`);
    expect(body).toEqual({
      id: `${slug}/small`,
      object: 'model',
      created: 1_700_000_000,
      owned_by: 'fake',
      context_length: null,
      modalities: null,
      capabilities: [],
      provider_id: id,
      pricing: null,
    });
    expect((await call(`/models/${encodeURIComponent(`${slug}/small`)}`)).body).toEqual(body);
  });

  test('are listed with those that it was told to offer, also if it lists none', async () => {
    fake.list = 500;
    const models = [{ id: 'small' }, { id: 'tiny', alias: 'nano' }, { id: 'tiny' }];
    const { id, slug } = await create({ models, prices: { tiny: { input: 1, output: 2 } } });
    await refresh(id);
    const list = async (query = '') => {
      const { status, body } = await call(`/model-providers/${id}/models${query}`);
      expect(status, JSON.stringify(body)).toBe(200);
      return body.data.map((one: { id: string; model_ids: string[]; price_source: string | null }) => [
        one.id,
        one.model_ids,
        one.price_source,
      ]);
    };
    const small = ['small', [`${slug}/small`], null];
    const tiny = ['tiny', [`${slug}/nano`, `${slug}/tiny`], 'configured'];
    expect(await list()).toEqual([small, tiny]);
    expect(await list('?limit=1')).toEqual([small]);
    expect(await list('?search=TIN')).toEqual([tiny]);
    fake.list = { data: [{ id: 'other' }, { id: 'small' }] };
    await refresh(id);
    expect(await list()).toEqual([['other', [], null], small, tiny]);
  });

  test('stay while the provider is away, which makes it failing until it is back', async () => {
    const { id, slug } = await create();
    await refresh(id);
    fake.list = 500;
    expect(await refresh(id)).toMatchObject({
      state: 'failing',
      last_error: { code: 'error_response', detail: 'The provider responded with 500.' },
      models_count: 1,
    });
    expect(await modelIds(slug)).toEqual([`${slug}/small`]);
    fake.list = 401;
    expect(await refresh(id)).toMatchObject({ state: 'failing', last_error: { code: 'unauthorized' } });
    fake.list = LIST;
    expect(await refresh(id)).toMatchObject({ state: 'active', last_error: null });
    expect(await getTypes(id)).toEqual([
      'model_provider.created',
      'model_provider.failing',
      'model_provider.recovered',
    ]);
  });

  test.each([
    ['no JSON', 'not json'],
    ['no list', { data: {} }],
  ])('are not replaced by %s', async (_, list) => {
    const { id } = await create();
    await refresh(id);
    fake.list = list;
    expect(await refresh(id)).toMatchObject({
      state: 'failing',
      last_error: { code: 'invalid_response' },
      models_count: 1,
    });
  });

  test('can be chosen and have aliases', async () => {
    fake.list = { data: [{ id: 'small' }, { id: 'big', context_length: 1000 }] };
    const { id, slug } = await create({
      models: [{ id: 'big' }, { id: 'big', alias: 'vendor/large' }, { id: 'unlisted', alias: 'x' }],
      prices: { big: { input: 0.07, output: 2, cached_input: 0 } },
    });
    await refresh(id);
    expect(await modelIds(slug)).toEqual([`${slug}/big`, `${slug}/vendor/large`, `${slug}/x`]);
    expect((await call(`/models/${slug}/vendor/large`)).body).toMatchObject({
      context_length: 1000,
      pricing: { input: 0.07, output: 2, cached_input: 0 },
    });
    expect(await call(`/models/${slug}/x`)).toHaveStatus(200);
    const missing = await call(`/models/${slug}/small`);
    expect([missing.status, missing.body.error.code]).toEqual([404, 'model_not_found']);
    const listed = (await call(`/model-providers/${id}/models`)).body.data;
    expect(listed).toMatchObject([
      { id: 'big', model_ids: [`${slug}/big`, `${slug}/vendor/large`], price_source: 'configured' },
      { id: 'small', model_ids: [], pricing: null, price_source: null },
      { id: 'unlisted', model_ids: [`${slug}/x`], pricing: null, price_source: null },
    ]);
  });

  test('are listed in pages and found by name', async () => {
    fake.list = { data: ['c', 'a', 'b'].map((id) => ({ id })) };
    const { id } = await create();
    await refresh(id);
    const first = (await call(`/model-providers/${id}/models?limit=2`)).body;
    expect([first.data.map((model: { id: string }) => model.id), first.has_more]).toEqual([['a', 'b'], true]);
    const rest = (await call(`/model-providers/${id}/models?limit=2&cursor=${first.next_cursor}`)).body;
    expect([rest.data.map((model: { id: string }) => model.id), rest.has_more]).toEqual([['c'], false]);
    expect((await call(`/model-providers/${id}/models?search=B`)).body.data).toHaveLength(1);
  });

  test('cost nothing on local kinds, and what their list says elsewhere', async () => {
    const local = await create({ kind: 'ollama' });
    await refresh(local.id);
    expect((await call(`/models/${local.slug}/small`)).body.pricing).toMatchObject({ input: 0, output: 0 });
    fake.list = { data: [{ id: 'a/b', pricing: { prompt: '0.00000125', completion: '0.00001' } }] };
    const listed = await create({ kind: 'openrouter' });
    await refresh(listed.id);
    expect((await call(`/models/${listed.slug}/a/b`)).body.pricing).toEqual({
      input: 1.25,
      output: 10,
      cached_input: 1.25,
      cache_write: null,
      cache_write_1h: null,
      request: null,
      search: null,
    });
  });

  test('of a disabled provider are not listed', async () => {
    const { id, slug } = await create();
    await refresh(id);
    await call(`/model-providers/${id}`, { enabled: false }, 'PATCH');
    expect(await modelIds(slug)).toEqual([]);
    expect(await call(`/models/${slug}/small`)).toHaveStatus(404);
    await call(`/model-providers/${id}`, { enabled: true }, 'PATCH');
    expect(await modelIds(slug)).toEqual([`${slug}/small`]);
  });

  test('belong to one workspace', async () => {
    const { id, slug } = await create();
    await refresh(id);
    const stranger = await startWorkspace(app);
    const models = await app.call('/models', { key: stranger.key });
    expect(models.body.data.map((model: { id: string }) => model.id)).toEqual(['fairlead/echo']);
    expect(await app.call(`/models/${slug}/small`, { key: stranger.key })).toHaveStatus(404);
  });
});

test('a list that was read before another one does not replace it', async () => {
  const { id } = await create();
  await refresh(id);
  const deps = {
    egress: startEgress({ allow: allowing('127.0.0.1') }),
    secrets: createSecretBox(TEST_SECRET),
  };
  const units = unitsFor(app.database.db);
  const workspaceId = toUuid('workspace', home.workspace)!;
  const uuid = toUuid('model_provider', id)!;
  const read = () => readListOf(units.read, deps, workspaceId, uuid);
  fake.list = { data: [{ id: 'old' }] };
  const older = await read();
  fake.list = { data: [{ id: 'new' }, { id: 'newer' }] };
  const newer = { ...(await read()), at: new Date(older.at.getTime() + 1) };
  for (const list of [newer, older]) await units.write((unit) => applyList(unit, workspaceId, uuid, list));
  expect((await call(`/model-providers/${id}`)).body.models_count).toBe(2);
});

test('the models of providers are read again every hour, and sooner if that failed', async () => {
  const [due, away, disabled] = [
    await create(),
    await create({ base_url: other.url }),
    await create({ enabled: false }),
  ];
  for (const { id } of [due, away]) await refresh(id);
  other.list = 503;
  fake.list = { data: [{ id: 'small' }, { id: 'new' }] };
  await app.database.pool.query("update model_providers set refresh_at = now() - interval '1 minute'");
  const deps = {
    egress: startEgress({ allow: allowing('127.0.0.1') }),
    secrets: createSecretBox(TEST_SECRET),
  };
  const jobs: JobPayloads['model-providers.refresh'][] = [];
  const units = unitsFor(app.database.db, undefined, {
    enqueue: async (_db, _name, payload) => void jobs.push(payload as (typeof jobs)[number]),
  });
  await enqueueDueProviders(units, () => new Date());
  for (const job of jobs) await executeRefresh(unitsFor(app.database.db), deps, job);
  // The running server may have been the one that took them.
  await vi.waitFor(async () => {
    expect((await call(`/model-providers/${due.id}`)).body).toMatchObject({
      models_count: 2,
      state: 'active',
    });
    expect((await call(`/model-providers/${away.id}`)).body).toMatchObject({
      models_count: 1,
      state: 'failing',
    });
  }, PATIENCE);
  expect((await call(`/model-providers/${disabled.id}`)).body.models_count).toBe(0);
  const { rows } = await app.database.pool.query(
    `select round(extract(epoch from refresh_at - now()) / 60) as minutes from model_providers
     where slug = any($1) order by refresh_at`,
    [[due.slug, away.slug]],
  );
  expect(rows.map(({ minutes }) => Number(minutes))).toEqual([5, 60]);
});

describe('a test', () => {
  const run = async (id: string, body: object = {}) => (await call(`/model-providers/${id}/test`, body)).body;

  test('lists the models and calls one', async () => {
    fake.list = { data: [{ id: 'text-embedding-3' }, { id: 'chat' }] };
    const { id } = await create();
    const result = await run(id);
    expect(result).toEqual({
      object: 'model_provider_test',
      model_provider_id: id,
      ok: true,
      list: { ok: true, latency_ms: expect.any(Number), models_count: 2, error: null },
      call: { ok: true, model: 'chat', latency_ms: expect.any(Number), error: null },
    });
    const sent = fake.received.find(({ method }) => method === 'POST')!;
    expect([sent.url, JSON.parse(sent.body).model]).toEqual(['/v1/chat/completions', 'chat']);
    fake.received.length = 0;
    expect(await run(id, { model: 'text-embedding-3' })).toMatchObject({ ok: true });
    expect(fake.received.find(({ method }) => method === 'POST')!.url).toBe('/v1/embeddings');
  });

  test('says what went wrong, without credentials that the provider repeats', async () => {
    const { id } = await create();
    fake.respond = (_, response) =>
      sendJson(response, 400, { error: { message: `Bad request with ${KEY}.`, type: 'x', code: 'y' } });
    const result = await run(id);
    expect(result).toMatchObject({
      ok: false,
      list: { ok: true },
      call: { ok: false, error: { code: 'error_response' } },
    });
    expect(result.call.error.detail).toMatch(/^The provider responded with 400: Bad request with/);
    expect(JSON.stringify(result)).not.toContain(KEY);
    fake.list = 404;
    fake.respond = (_, response) => response.destroy();
    expect(await run(id, { model: 'small' })).toMatchObject({
      ok: false,
      list: { ok: false, models_count: null },
      call: { ok: false, error: { code: 'broken' } },
    });
    expect((await call(`/model-providers/${id}`)).body.state).toBe('failing');
  });

  test('of a provider that is not saved stores nothing but its call', async () => {
    fake.list = { data: [{ id: 'chat' }] };
    const before = (await call('/model-providers')).body.data.length;
    const body = {
      kind: 'openai_compatible',
      slug: 'unsaved',
      base_url: fake.url,
      api_key: KEY,
      headers: { 'X-Extra': 'extra' },
      prices: { chat: { input: 1, output: 2 } },
    };
    const result = (await call('/model-providers/check', body)).body;
    expect(result).toEqual({
      object: 'model_provider_test',
      model_provider_id: null,
      ok: true,
      list: { ok: true, latency_ms: expect.any(Number), models_count: 1, error: null },
      call: { ok: true, model: 'chat', latency_ms: expect.any(Number), error: null },
    });
    const sent = fake.received.find(({ method }) => method === 'POST')!;
    expect([sent.headers.authorization, sent.headers['x-extra']]).toEqual([`Bearer ${KEY}`, 'extra']);
    expect((await call('/model-providers')).body.data).toHaveLength(before);
    const readCalls = async () => {
      const { rows } = await app.database.pool.query(
        `select provider_id, is_test, cost is not null as is_priced from model_calls where model = 'unsaved/chat'`,
      );
      return rows as object[];
    };
    await expect.poll(readCalls, PATIENCE).toEqual([{ provider_id: null, is_test: true, is_priced: true }]);
    fake.respond = (_, response) => sendJson(response, 401, { error: { message: `No ${KEY}` } });
    const rejected = (await call('/model-providers/check', body)).body;
    expect(rejected).toMatchObject({ ok: false, call: { error: { code: 'unauthorized' } } });
    expect(JSON.stringify(rejected)).not.toContain(KEY);
  });

  test('of a provider that is not saved is refused like one that is created', async () => {
    const check = async (body: object) => {
      const answer = await call('/model-providers/check', body);
      return [answer.status, answer.body.code, answer.body.errors[0].pointer];
    };
    expect(await check({ kind: 'openai_compatible' })).toEqual([400, 'invalid_request', '/base_url']);
    expect(await check({ kind: 'vllm', base_url: 'http://10.0.0.1/v1' })).toEqual([
      422,
      'address_not_allowed',
      '/base_url',
    ]);
  });

  test('of a provider without models makes no call', async () => {
    fake.list = { data: [] };
    const { id } = await create();
    expect(await run(id)).toMatchObject({ ok: false, list: { ok: true, models_count: 0 }, call: null });
  });
});
