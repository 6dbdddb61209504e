import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ALL_SCOPES } from '../../../core/vocabulary/scopes.ts';
import { timeOfUuid } from '../../../platform/db/uuid-time.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';
import { makeKey } from '../../../../test/support/workspaces.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
beforeAll(async () => {
  app = await startTestApp({ WORKSPACE_LIMITS: 'budgets=12' });
  home = await startWorkspace(app);
});
afterAll(() => app.stop());

const call = (path: string, body?: unknown, method?: string, headers?: Record<string, string>) =>
  app.call(path, { key: home.key, body, method, headers });

describe('a budget', () => {
  test('is created for the workspace', async () => {
    const { status, body } = await call('/budgets', {
      name: ' Support bot ',
      limit: { usd: 12.5 },
      window: 'month',
      metadata: { team: 'x' },
    });
    expect(status).toBe(201);
    const now = new Date();
    expect(body).toMatchObject({
      object: 'budget',
      name: 'Support bot',
      api_key_id: null,
      limit: { usd: 12.5 },
      window: 'month',
      used: 0,
      reserved: 0,
      remaining: 12.5,
      resets_at: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)).toISOString(),
      metadata: { team: 'x' },
      created_by: home.keyId,
    });
    expect((await call(`/budgets/${body.id}`)).body).toEqual(body);
  });

  test('is created for a key of this workspace only', async () => {
    const body = { name: 'k', api_key_id: home.keyId, limit: { tokens: 100 }, window: 'total' };
    const { status, body: made } = await call('/budgets', body);
    expect([status, made.api_key_id, made.resets_at]).toEqual([201, home.keyId, null]);
    const { keyId } = await startWorkspace(app);
    const other = await call('/budgets', { ...body, api_key_id: keyId });
    expect([other.status, other.body.errors[0].pointer]).toEqual([422, '/api_key_id']);
    const list = await call(`/budgets?api_key_id=${home.keyId}`);
    expect(list.body.data.map(({ id }: { id: string }) => id)).toEqual([made.id]);
    expect((await call('/budgets?search=supp')).body.data).toHaveLength(1);
  });

  test('is created when its ID says, by which lists filter', async () => {
    const { key, keyId } = await startWorkspace(app);
    for (let count = 0; count < 12; count++) {
      const body = { name: 'b', api_key_id: keyId, limit: { calls: 1 }, window: 'day' };
      const made = (await app.call('/budgets', { key, body })).body;
      expect(new Date(made.created_at)).toEqual(timeOfUuid(toUuid('budget', made.id)!));
    }
  });

  const ONE = 'must have exactly one of: usd, tokens, calls';
  test.each([
    [{}, '/limit', ONE],
    [{ usd: 1, calls: 1 }, '/limit', ONE],
    [{ euro: 1 }, '/limit', ONE],
    [{ usd: -1 }, '/limit/usd', 'must be at least 0'],
    [{ tokens: 1.5 }, '/limit/tokens', 'must be integer'],
  ])('has no limit %j', async (limit, pointer, detail) => {
    const { status, body } = await call('/budgets', { name: 'b', limit, window: 'day' });
    expect(status).toBe(400);
    expect(body.errors).toEqual([expect.objectContaining({ pointer, detail })]);
  });

  test('begins with days of the time zone of the workspace', async () => {
    const zone = await call(`/workspaces/${home.workspace}`, { time_zone: 'asia/tokyo' }, 'PATCH');
    expect([zone.status, zone.body.time_zone]).toEqual([200, 'Asia/Tokyo']);
    const { body } = await call('/budgets', { name: 'b', limit: { calls: 3 }, window: 'day' });
    expect(body.resets_at).toMatch(/T15:00:00.000Z$/);
    const wrong = await call(`/workspaces/${home.workspace}`, { time_zone: 'Mars/Olympus' }, 'PATCH');
    expect([wrong.status, wrong.body.errors[0]]).toMatchObject([400, { code: 'invalid_time_zone' }]);
    await call(`/workspaces/${home.workspace}`, { time_zone: 'UTC' }, 'PATCH');
  });

  test('keeps what is used when its limit changes', async () => {
    const { body } = await call('/budgets', { name: 'b', limit: { calls: 10 }, window: 'day' });
    const path = `/budgets/${body.id}`;
    await app.database.pool.query('update model_budgets set used = 7, reserved = 2 where id = $1', [
      toUuid('budget', body.id),
    ]);
    const changed = await call(path, { limit: { calls: 8 } }, 'PATCH', { 'if-match': '"1"' });
    expect(changed.body).toMatchObject({ limit: { calls: 8 }, used: 7, reserved: 2, remaining: 0 });
    const outdated = await call(path, { name: 'c' }, 'PATCH', { 'if-match': '"1"' });
    expect([outdated.status, outdated.body.code]).toEqual([412, 'precondition_failed']);
    const unit = await call(path, { limit: { usd: 8 } }, 'PATCH');
    expect([unit.status, unit.body.errors[0].pointer]).toEqual([422, '/limit']);
    const announced = await app.database.pool.query('select announced from model_budgets where id = $1', [
      toUuid('budget', body.id),
    ]);
    expect(announced.rows).toEqual([{ announced: 80 }]);
    expect(await call(path, undefined, 'DELETE')).toHaveStatus(204);
    expect(await call(path)).toHaveStatus(404);
  });

  test('shows nothing used once its window is over', async () => {
    const { body } = await call('/budgets', { name: 'b', limit: { calls: 10 }, window: 'day' });
    await app.database.pool.query(
      `update model_budgets set used = 7, reserved = 2, window_start = window_start - interval '1 day' where id = $1`,
      [toUuid('budget', body.id)],
    );
    expect((await call(`/budgets/${body.id}`)).body).toMatchObject({ used: 0, reserved: 0, remaining: 10 });
  });

  test('counts against WORKSPACE_LIMITS', async () => {
    const create = () => call('/budgets', { name: 'b', limit: { calls: 10 }, window: 'day' });
    const answers = await Promise.all(Array.from({ length: 13 }, create));
    const refused = answers.filter(({ body }) => body.code === 'quota_exceeded');
    expect(refused.length).toBeGreaterThan(0);
    expect((await call('/budgets')).body.data).toHaveLength(12);
  });
});

describe('allowed_models of a key', () => {
  const LIST = ['openai/gpt-5', 'ollama/*', 'route/fast'];

  test('are kept, changed and shown', async () => {
    const { body } = await home.owner.call('/api-keys', {
      workspace: home.workspace,
      body: { name: 'k', preset: 'full', allowed_models: LIST },
    });
    expect(body.allowed_models).toEqual(LIST);
    const path = `/api-keys/${body.id}`;
    const rotated = await home.owner.call(`${path}/rotate`, { workspace: home.workspace, body: {} });
    expect(rotated.body.allowed_models).toEqual(LIST);
    const changed = await home.owner.call(path, {
      workspace: home.workspace,
      body: { allowed_models: null },
      method: 'PATCH',
    });
    expect(changed.body.allowed_models).toBeNull();
  });

  test.each(['', 'gpt', '/x', 'a b/c', 'openai/'])('are not %j', async (model) => {
    const { status } = await call('/api-keys', { name: 'k', preset: 'full', allowed_models: [model] });
    expect(status).toBe(400);
  });

  test('bound those of keys that it creates', async () => {
    const parent = await makeKey(home, { scopes: ALL_SCOPES, allowed_models: LIST });
    const create = (allowed?: string[] | null) =>
      app.call('/api-keys', { key: parent, body: { name: 'k', preset: 'full', allowed_models: allowed } });
    expect((await create()).body.allowed_models).toEqual(LIST);
    expect(await create(['ollama/llama3', 'route/fast'])).toHaveStatus(201);
    for (const allowed of [null, ['openai/*'], ['openai/gpt-5', 'groq/x'], ['route/other']]) {
      const { status, body } = await create(allowed);
      expect([status, body.code]).toEqual([403, 'escalation']);
    }
  });
});
