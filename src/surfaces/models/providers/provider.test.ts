import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  COMPLETION,
  type FakeProvider,
  sendJson,
  startFakeProvider,
} from '../../../../test/support/models/fake-provider.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';
import { getEvents, makeKey } from '../../../../test/support/workspaces.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { PROVIDER_KINDS } from './provider-kinds.ts';

const KEY = 'sk-very-secret-key-0123456789';
const HEADER = 'very-secret-header-value';

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
describe('names of models that a key with allowed_models gives', () => {
  test('lead to models that it may call itself', async () => {
    const models = [{ id: 'cheap' }, { id: 'dear' }];
    const { id, slug } = await create({ models });
    const allowed = [`${slug}/cheap`, `${slug}/fast`];
    const scopes = ['providers:write', 'providers:read', 'models:invoke'];
    const limited = await makeKey(home, { scopes, allowed_models: allowed });
    const change = (body: object, key = limited) =>
      app.call(`/model-providers/${id}`, { key, body, method: 'PATCH' });
    const refused = async (body: object) => {
      const answer = await change(body);
      return [answer.status, answer.body.code, answer.body.errors[0].pointer];
    };
    const alias = (model: string, name: string) => ({ models: [{ id: model, alias: name }] });
    expect(await refused(alias('dear', 'fast'))).toEqual([403, 'model_not_allowed', '/models/0/alias']);
    expect(await refused({ slug: 'elsewhere' })).toEqual([403, 'model_not_allowed', '/slug']);
    // Names that it may not call, and other models, are no way around.
    expect(await change(alias('dear', 'slow'))).toHaveStatus(200);
    expect(await change(alias('cheap', 'fast'))).toHaveStatus(200);
    expect(await change(alias('dear', 'fast'), home.key)).toHaveStatus(200);
  });
});

describe('a model provider', () => {
  test('is created, shown, changed under If-Match, and deleted', async () => {
    const { status, body, headers } = await call('/model-providers', {
      kind: 'openai_compatible',
      name: 'My Models',
      base_url: `${fake.url}/`,
      api_key: KEY,
      headers: { 'X-Team': HEADER },
      prices: { small: { input: 1, output: 2 } },
      metadata: { team: 'x' },
      enabled: false,
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      object: 'model_provider',
      name: 'My Models',
      slug: 'my-models',
      kind: 'openai_compatible',
      base_url: fake.url,
      has_api_key: true,
      headers: { 'X-Team': null },
      models: null,
      prices: { small: { input: 1, output: 2, cached_input: null } },
      timeout_seconds: 600,
      max_concurrency: null,
      enabled: false,
      state: 'active',
      last_error: null,
      models_count: 0,
      listed_at: null,
      metadata: { team: 'x' },
      created_by: home.keyId,
    });
    expect(body.id).toMatch(/^prv_/);
    const path = `/model-providers/${body.id}`;
    expect((await call(path)).body).toEqual(body);
    const stale = await call(path, { name: 'Renamed' }, 'PATCH', { 'if-match': '"99"' });
    expect(stale).toHaveStatus(412);
    const changed = await call(
      path,
      { name: 'Renamed', slug: 'renamed', max_concurrency: 3, timeout_seconds: 5, prices: {} },
      'PATCH',
      { 'if-match': headers.get('etag')! },
    );
    expect(changed.body).toMatchObject({
      name: 'Renamed',
      slug: 'renamed',
      max_concurrency: 3,
      timeout_seconds: 5,
      prices: {},
      has_api_key: true,
      headers: { 'X-Team': null },
    });
    expect(await call(path, undefined, 'DELETE')).toHaveStatus(204);
    expect(await call(path)).toHaveStatus(404);
    const events = await readEvents(body.id);
    expect(events.map(({ type }: { type: string }) => type)).toEqual([
      'model_provider.created',
      'model_provider.updated',
      'model_provider.deleted',
    ]);
    expect(events[1]!.data.previous_attributes).toMatchObject({ name: 'My Models', slug: 'my-models' });
  });

  test('has the defaults of its kind', async () => {
    const { body } = await call('/model-providers', { kind: 'anthropic', enabled: false });
    expect(body).toMatchObject({
      name: 'Anthropic',
      slug: 'anthropic',
      base_url: 'https://api.anthropic.com/v1',
      has_api_key: false,
    });
    const second = await call('/model-providers', { kind: 'anthropic', enabled: false });
    expect(second.body.slug).toBe('anthropic-2');
    const kinds = (await call('/model-provider-kinds')).body.data;
    expect(kinds.map(({ id }: { id: string }) => id)).toEqual(PROVIDER_KINDS);
  });

  test('has a slug of its own', async () => {
    const { slug } = await create({ slug: 'own', enabled: false });
    const taken = await call('/model-providers', { kind: 'openai', slug, enabled: false });
    expect([taken.status, taken.body.code]).toEqual([409, 'slug_taken']);
    expect(taken.body.errors[0]).toMatchObject({ pointer: '/slug', suggestion: 'own-2' });
    const { id } = await create({ enabled: false });
    const renamed = await call(`/model-providers/${id}`, { slug }, 'PATCH');
    expect([renamed.status, renamed.body.code]).toEqual([409, 'slug_taken']);
    expect(await call(`/model-providers/${id}`, { slug: 'own-3' }, 'PATCH')).toHaveStatus(200);
  });

  test.each([
    [{ kind: 'openai_compatible' }, '/base_url', 'required'],
    [{ kind: 'openai', base_url: 'ftp://models.example.com' }, '/base_url', 'invalid_url'],
    [{ kind: 'openai', base_url: 'https://a:b@models.example.com' }, '/base_url', 'invalid_url'],
    [{ kind: 'openai', base_url: 'https://models.example.com/?a=b' }, '/base_url', 'invalid_url'],
    [{ kind: 'openai', base_url: 'https://models.example.com/#a' }, '/base_url', 'invalid_url'],
    [{ kind: 'openai', slug: 'route' }, '/slug', 'reserved'],
    [{ kind: 'openai', slug: 'fairlead' }, '/slug', 'reserved'],
    [{ kind: 'openai', slug: 'a/b' }, '/slug', 'invalid_value'],
    [{ kind: 'nobody' }, '/kind', 'invalid_value'],
    [{ kind: 'openai', headers: { Host: 'a' } }, '/headers/Host', 'header_not_allowed'],
    [
      { kind: 'openai', headers: { 'Accept-Encoding': 'gzip' } },
      '/headers/Accept-Encoding',
      'header_not_allowed',
    ],
    [{ kind: 'openai', headers: { 'X-A': 'a\r\nb: c' } }, '/headers/X-A', 'invalid_header_value'],
    [{ kind: 'openai', models: [{ id: 'a' }, { id: 'b', alias: 'a' }] }, '/models/1/alias', 'duplicate'],
    [{ kind: 'openai', timeout_seconds: 601 }, '/timeout_seconds', 'out_of_range'],
    [{ kind: 'openai', prices: { a: { input: -1, output: 1 } } }, '/prices/a/input', 'out_of_range'],
  ])('%j is rejected at %s', async (body, pointer, code) => {
    const answer = await call('/model-providers', body);
    expect([answer.status, answer.body.errors]).toEqual([400, [expect.objectContaining({ pointer, code })]]);
  });

  test('on an address that is not allowed is rejected, with the line that would allow it', async () => {
    for (const [path, method] of [
      ['/model-providers', 'POST'],
      [`/model-providers/${(await create()).id}`, 'PATCH'],
    ]) {
      const body = {
        base_url: 'http://127.0.0.1:1/v1',
        api_key: 'sk-other',
        ...(method === 'POST' ? { kind: 'ollama' } : {}),
      };
      const answer = await call(path!, body, method);
      expect([answer.status, answer.body.code]).toEqual([422, 'address_not_allowed']);
      expect(answer.body.detail).toContain('EGRESS_ALLOW=127.0.0.1:1');
      expect(answer.body.errors[0].pointer).toBe('/base_url');
    }
  });

  test('counts toward the quota', async () => {
    const limited = await startTestApp({ WORKSPACE_LIMITS: 'model_providers=1' });
    try {
      const { key } = await startWorkspace(limited);
      const body = { kind: 'openai', enabled: false };
      expect(await limited.call('/model-providers', { key, body })).toHaveStatus(201);
      const second = await limited.call('/model-providers', { key, body });
      expect([second.status, second.body.code]).toEqual([403, 'quota_exceeded']);
    } finally {
      await limited.stop();
    }
  });
});

describe('credentials', () => {
  test('are sent to the provider, and are in no response, event, log line or row', async () => {
    // As at any time: the list of another provider, with other headers.
    await refresh((await create()).id);
    const { id, slug } = await create({ base_url: `${fake.url}/own`, headers: { 'X-Team': HEADER } });
    await refresh(id);
    await call(`/model-providers/${id}/test`, {});
    const own = fake.received.filter(({ url }) => url.startsWith('/v1/own/'));
    expect(own.map(({ method }) => method)).toEqual(expect.arrayContaining(['GET', 'POST']));
    for (const { headers } of own)
      expect(headers).toMatchObject({ authorization: `Bearer ${KEY}`, 'x-team': HEADER });
    const shown = await Promise.all([
      call('/model-providers'),
      call(`/model-providers/${id}`),
      call(`/model-providers/${id}/models`),
      call('/models'),
      call('/audit-log'),
      readEvents(id),
    ]);
    const rows = await app.database.pool.query('select * from model_providers where slug = $1', [slug]);
    const everything = JSON.stringify([shown, rows.rows, app.logged]);
    expect(everything).toContain(slug);
    expect(everything).not.toContain(KEY);
    expect(everything).not.toContain(HEADER);
  });

  test('must be given again when the origin changes', async () => {
    const { id } = await create({ headers: { 'X-Team': HEADER } });
    const path = `/model-providers/${id}`;
    const moved = await call(path, { base_url: other.url }, 'PATCH');
    expect([moved.status, moved.body.errors.map(({ pointer }: { pointer: string }) => pointer)]).toEqual([
      422,
      ['/api_key', '/headers'],
    ]);
    const kept = await call(
      path,
      { base_url: other.url, api_key: 'sk-new', headers: { 'X-Team': null } },
      'PATCH',
    );
    expect([kept.status, kept.body.errors[0].pointer]).toEqual([422, '/headers/X-Team']);
    const samePlace = await call(
      path,
      { base_url: `${fake.url}/beta`, headers: { 'x-team': null } },
      'PATCH',
    );
    expect([samePlace.status, samePlace.body.headers]).toEqual([200, { 'x-team': null }]);
    const given = await call(path, { base_url: other.url, api_key: null, headers: {} }, 'PATCH');
    expect(given.body).toMatchObject({ base_url: other.url, has_api_key: false, headers: {} });
    other.received.length = 0;
    await refresh(id);
    expect(other.received[0]!.headers).not.toHaveProperty('authorization');
    expect(other.received[0]!.headers).not.toHaveProperty('x-team');
  });

  test('of Anthropic are sent as its own header with the list, and as bearer token with calls', async () => {
    fake.list = {
      data: [{ type: 'model', id: 'claude', created_at: '2026-01-01T00:00:00Z' }],
      has_more: false,
    };
    const { id } = await create({ kind: 'anthropic' });
    expect((await call(`/model-providers/${id}/test`, {})).body).toMatchObject({
      ok: true,
      call: { model: 'claude' },
    });
    // The lists of providers of other tests may be asked for now, too.
    const list = fake.received.find(({ url }) => url.startsWith('/v1/models?'))!;
    expect(list.url).toBe('/v1/models?limit=1000');
    expect(list.headers).toMatchObject({ 'x-api-key': KEY, 'anthropic-version': '2023-06-01' });
    expect(list.headers).not.toHaveProperty('authorization');
    const sent = fake.received.find(({ method }) => method === 'POST')!;
    expect(sent.headers).toMatchObject({ authorization: `Bearer ${KEY}` });
  });
});
