import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeKey } from '../../../../test/support/workspaces.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
beforeAll(async () => {
  app = await startTestApp({ WORKSPACE_LIMITS: 'model_routes=8' });
  home = await startWorkspace(app);
  await call('/model-providers', {
    kind: 'openai_compatible',
    slug: 'own',
    base_url: 'http://models.invalid/v1',
    models: [{ id: 'a' }, { id: 'b', alias: 'fast' }],
  });
});
afterAll(() => app.stop());

const call = (path: string, body?: unknown, method?: string, headers?: Record<string, string>) =>
  app.call(path, { key: home.key, body, method, headers });
const ECHO = [{ model: 'fairlead/echo' }];

describe('a model route', () => {
  test('is created, shown, changed under If-Match, called and deleted', async () => {
    const { status, body, headers } = await call('/model-routes', {
      name: 'default.v1',
      attempts: [{ model: 'own/fast', timeout_seconds: 5 }, ...ECHO],
      metadata: { team: 'x' },
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      object: 'model_route',
      name: 'default.v1',
      model: 'route/default.v1',
      attempts: [
        { model: 'own/fast', timeout_seconds: 5 },
        { model: 'fairlead/echo', timeout_seconds: null },
      ],
      metadata: { team: 'x' },
      created_by: home.keyId,
    });
    expect(body.id).toMatch(/^rte_/);
    const path = `/model-routes/${body.id}`;
    expect((await call(path)).body).toEqual(body);
    expect((await call('/models/route/default.v1')).body).toMatchObject({
      owned_by: 'fairlead',
      pricing: null,
    });
    expect(await call(path, { name: 'x' }, 'PATCH', { 'if-match': '"9"' })).toHaveStatus(412);
    const changed = await call(path, { name: 'main', attempts: ECHO }, 'PATCH', {
      'if-match': headers.get('etag')!,
    });
    expect(changed.body).toMatchObject({ model: 'route/main', attempts: [{ model: 'fairlead/echo' }] });
    const ids = (await call('/models')).body.data.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(['fairlead/echo', 'own/a', 'own/fast', 'route/main']);
    const messages = [{ role: 'user', content: 'Hello!' }];
    const answer = await call('/chat/completions', { model: 'route/main', messages });
    expect([answer.status, answer.headers.get('fairlead-model')]).toEqual([200, 'fairlead/echo']);
    expect((await call('/model-routes?search=MAI')).body.data).toHaveLength(1);
    expect((await call('/model-routes?search=default')).body.data).toHaveLength(0);
    expect(await call(path, undefined, 'DELETE')).toHaveStatus(204);
    expect(await call(path)).toHaveStatus(404);
    const gone = await call('/chat/completions', { model: 'route/main', messages });
    expect([gone.status, gone.body.error.code]).toEqual([404, 'model_not_found']);
  });

  test('names the errors after which its next model is tried besides', async () => {
    const { body } = await call('/model-routes', { name: 'long', attempts: ECHO, on: ['context_length'] });
    expect(body.on).toEqual(['context_length']);
    const path = `/model-routes/${body.id}`;
    expect((await call(path, { name: 'longer' }, 'PATCH')).body.on).toEqual(['context_length']);
    expect((await call(path, { on: [] }, 'PATCH')).body.on).toEqual([]);
    const wrong = await call(path, { on: ['always'] }, 'PATCH');
    expect([wrong.status, wrong.body.errors[0].pointer]).toEqual([400, '/on/0']);
    await call(path, undefined, 'DELETE');
  });

  test('of a key with allowed models tries no other', async () => {
    const key = await makeKey(home, { preset: 'full', allowed_models: ['own/*', 'route/*'] });
    const as = (path: string, body: object, method?: string) => app.call(path, { key, body, method });
    const refused = await as('/model-routes', { name: 'wide', attempts: [{ model: 'own/a' }, ...ECHO] });
    expect([refused.status, refused.body.code, refused.body.errors[0].pointer]).toEqual([
      403,
      'model_not_allowed',
      '/attempts/1/model',
    ]);
    const { body } = await as('/model-routes', { name: 'narrow', attempts: [{ model: 'own/a' }] });
    const path = `/model-routes/${body.id}`;
    expect((await as(path, { attempts: ECHO }, 'PATCH')).body.code).toBe('model_not_allowed');
    await call(path, { attempts: ECHO }, 'PATCH');
    expect((await as(path, { name: 'other' }, 'PATCH')).body.code).toBe('model_not_allowed');
    expect(await call(path, undefined, 'DELETE')).toHaveStatus(204);
  });

  test.each([
    [[{ model: 'own/c' }], '/attempts/0/model', 'model_not_found'],
    [[...ECHO, { model: 'own/b' }], '/attempts/1/model', 'model_not_found'],
    [[...ECHO, { model: 'route/other' }], '/attempts/1/model', 'route_not_allowed'],
    [[{ model: 'nothing' }], '/attempts/0/model', 'model_not_found'],
  ])('with the attempts %j is refused', async (attempts, pointer, code) => {
    const { status, body } = await call('/model-routes', { name: 'wrong', attempts });
    expect([status, body.errors]).toEqual([422, [expect.objectContaining({ pointer, code })]]);
  });

  test.each([
    [{ name: 'Big', attempts: ECHO }, '/name'],
    [{ name: 'a/b', attempts: ECHO }, '/name'],
    [{ name: 'x'.repeat(61), attempts: ECHO }, '/name'],
    [{ name: 'wrong', attempts: [] }, '/attempts'],
    [{ name: 'wrong', attempts: Array(6).fill(ECHO[0]) }, '/attempts'],
    [
      { name: 'wrong', attempts: [{ model: 'fairlead/echo', timeout_seconds: 0 }] },
      '/attempts/0/timeout_seconds',
    ],
  ])('%j is invalid', async (given, pointer) => {
    const { status, body } = await call('/model-routes', given);
    expect([status, body.errors[0].pointer]).toEqual([400, pointer]);
  });

  test('has a name of its own', async () => {
    await call('/model-routes', { name: 'one', attempts: ECHO });
    const same = await call('/model-routes', { name: 'one', attempts: ECHO });
    expect([same.status, same.body.code]).toEqual([409, 'conflict']);
    const { body } = await call('/model-routes', { name: 'two', attempts: ECHO });
    const renamed = await call(`/model-routes/${body.id}`, { name: 'one' }, 'PATCH');
    expect([renamed.status, renamed.body.errors[0].pointer]).toEqual([409, '/name']);
    expect(await call(`/model-routes/${body.id}`, { name: 'two' }, 'PATCH')).toHaveStatus(200);
  });

  test('skips models that are gone, and is not found without any', async () => {
    const provider = await call('/model-providers', {
      kind: 'openai_compatible',
      slug: 'passing',
      base_url: 'http://models.invalid/v1',
      models: [{ id: 'a' }],
    });
    await call('/model-routes', { name: 'skips', attempts: [{ model: 'passing/a' }, ...ECHO] });
    await call('/model-routes', { name: 'nothing-left', attempts: [{ model: 'passing/a' }] });
    await call(`/model-providers/${provider.body.id}`, undefined, 'DELETE');
    const messages = [{ role: 'user', content: 'Hello!' }];
    expect(await call('/chat/completions', { model: 'route/skips', messages })).toHaveStatus(200);
    const none = await call('/chat/completions', { model: 'route/nothing-left', messages });
    expect([none.status, none.body.error.code]).toEqual([404, 'model_not_found']);
  });

  test('counts toward the quota', async () => {
    let status = 201;
    for (let nth = 0; status === 201 && nth < 9; nth++)
      ({ status } = await call('/model-routes', { name: `q${nth}`, attempts: ECHO }));
    expect(status).toBe(403);
  });
});
