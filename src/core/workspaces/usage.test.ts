import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConfigError } from '../../platform/config/config.ts';
import { toUuid } from '../vocabulary/ids.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';
import { createQuotas, QUOTA_RESOURCES } from './quota.ts';
import type { Unit } from '../unit/unit-of-work.ts';
import { join, makeKey, outcome, getToken } from '../../../test/support/workspaces.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ WORKSPACE_LIMITS: 'api_keys=4,members=3,invitations=2' });
});
afterAll(() => app.stop());

const usage = async (key: string) => (await app.call('/usage', { key })).body;
const used = async (key: string, resource: string) =>
  (await usage(key)).resources.find((item: { resource: string }) => item.resource === resource).used;

describe('GET /usage', () => {
  test('counts what the workspace holds against what it may hold', async () => {
    const home = await startWorkspace(app);
    await join(app, home, 'viewer');
    await home.owner.call('/invitations', {
      workspace: home.workspace,
      body: { email: 'pending@example.com', role: 'viewer' },
    });
    const { status, body } = await app.call('/usage', { key: home.key });
    expect(status).toBe(200);
    expect(body).toEqual({
      object: 'usage',
      // A further surface may count more.
      resources: expect.arrayContaining([
        { resource: 'members', used: 2, limit: 3 },
        { resource: 'invitations', used: 1, limit: 2 },
        { resource: 'api_keys', used: 1, limit: 4 },
        { resource: 'webhooks', used: 0, limit: null },
        { resource: 'instances', used: 0, limit: null },
        { resource: 'contacts', used: 0, limit: null },
        { resource: 'media', used: 0, limit: null },
        { resource: 'media_bytes', used: 0, limit: null },
        { resource: 'links', used: 0, limit: null },
        { resource: 'domains', used: 0, limit: null },
        { resource: 'publishing_endpoints', used: 0, limit: null },
        { resource: 'rules', used: 0, limit: null },
        { resource: 'model_providers', used: 0, limit: null },
        { resource: 'model_routes', used: 0, limit: null },
        { resource: 'budgets', used: 0, limit: null },
      ]),
      period_start: `${new Date().toISOString().slice(0, 7)}-01T00:00:00.000Z`,
      models: [],
    });
    expect(body.resources.map(({ resource }: { resource: string }) => resource)).toEqual(QUOTA_RESOURCES);
  });

  test('sums model calls of this month by caller and model, of this workspace alone', async () => {
    const [home, other] = [await startWorkspace(app), await startWorkspace(app)];
    const today = new Date().toISOString().slice(0, 10);
    const first = `${today.slice(0, 7)}-01`;
    const lastMonth = new Date(Date.parse(first) - 1).toISOString().slice(0, 10);
    const row = (workspace: string, day: string, model: string, count: number) =>
      app.database.pool.query(
        `insert into model_usage (workspace_id, day, actor, model, requests, prompt_tokens, completion_tokens)
         values ($1, $2, 'key_a', $3, $4::bigint, $4::bigint * 10, $4::bigint * 100)
         on conflict (workspace_id, day, actor, model) do update set requests = model_usage.requests + excluded.requests,
           prompt_tokens = model_usage.prompt_tokens + excluded.prompt_tokens,
           completion_tokens = model_usage.completion_tokens + excluded.completion_tokens`,
        [toUuid('workspace', workspace), day, model, count],
      );
    await row(home.workspace, first, 'small', 1);
    await row(home.workspace, today, 'small', 2);
    await row(home.workspace, today, 'large', 5);
    await row(home.workspace, lastMonth, 'small', 1000);
    await row(other.workspace, today, 'small', 1000);
    expect((await usage(home.key)).models).toEqual([
      { actor: 'key_a', model: 'large', requests: 5, prompt_tokens: 50, completion_tokens: 500 },
      { actor: 'key_a', model: 'small', requests: 3, prompt_tokens: 30, completion_tokens: 300 },
    ]);
  });

  test('needs the scope', async () => {
    const home = await startWorkspace(app, { scopes: ['links:read'] });
    expect(outcome(await app.call('/usage', { key: home.key }))).toEqual([403, 'insufficient_scope']);
    expect(await app.call('/usage')).toHaveStatus(401);
  });
});

describe('limits', () => {
  test('of keys hold, also when many are made at once; a revoked one is free again', async () => {
    const home = await startWorkspace(app);
    const make = () =>
      home.owner.call('/api-keys', { workspace: home.workspace, body: { name: 'k', preset: 'links' } });
    const answers = await Promise.all(Array.from({ length: 10 }, make));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    expect(answers.filter(({ body }) => body.code === 'quota_exceeded')).toHaveLength(7);
    expect(await used(home.key, 'api_keys')).toBe(4);
    const one = answers.find(({ status }) => status === 201)!.body.id;
    await home.owner.call(`/api-keys/${one}/revoke`, { workspace: home.workspace, method: 'POST' });
    expect(await make()).toHaveStatus(201);
    expect(outcome(await make())).toEqual([403, 'quota_exceeded']);
  });

  test('of invitations count pending ones; replacing takes no more', async () => {
    const home = await startWorkspace(app);
    const invite = (email: string) =>
      home.owner.call('/invitations', { workspace: home.workspace, body: { email, role: 'viewer' } });
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map((name) => invite(`${name}@quota.example`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 403, 403]);
    const pending = answers.filter(({ status }) => status === 201);
    expect(await invite(pending[0]!.body.email)).toHaveStatus(201);
    await home.owner.call(`/invitations/${pending[1]!.body.id}/revoke`, {
      workspace: home.workspace,
      method: 'POST',
    });
    expect(await invite('e@quota.example')).toHaveStatus(201);
  });

  test('of members hold when two accept at once, and inviting tells beforehand', async () => {
    const home = await startWorkspace(app);
    await join(app, home, 'viewer');
    const people = [await app.signUp(), await app.signUp()];
    const tokens: string[] = [];
    for (const { email } of people) {
      const made = await home.owner.call('/invitations', {
        workspace: home.workspace,
        body: { email, role: 'viewer' },
      });
      tokens.push(getToken(made.body.url));
    }
    const answers = await Promise.all(
      people.map((person, index) => person.call('/invitations/accept', { body: { token: tokens[index] } })),
    );
    expect(answers.map(({ body }) => body.code).sort()).toEqual(['quota_exceeded', undefined]);
    const full = await home.owner.call('/invitations', {
      workspace: home.workspace,
      body: { email: 'one-more@example.com', role: 'viewer' },
    });
    expect(outcome(full)).toEqual([403, 'quota_exceeded']);
    expect(full.body.detail).toContain('3 of 3 members');
  });

  test('are one workspace’s own', async () => {
    const home = await startWorkspace(app);
    await makeKey(home, { preset: 'links' });
    expect(await used(home.key, 'api_keys')).toBe(2);
  });

  test('are looked up by the names of resources alone', () => {
    const quotas = createQuotas({});
    // Never called: the type checker refuses a name that would have no limit.
    const misspelled = (...given: [Unit, string]) => {
      // @ts-expect-error no such resource
      void quotas.assert(...given, 'webhook');
      // @ts-expect-error no such resource
      void quotas.check(...given, 'link');
      // @ts-expect-error no such resource
      void quotas.remaining(...given, 'contact');
    };
    expect(misspelled).toBeTypeOf('function');
  });

  test('on what is not counted are a wrong setting', () => {
    expect(() => createQuotas({ link: 3 })).toThrow(ConfigError);
    expect(() => createQuotas({ toString: 3 })).toThrow(/api_keys, members, invitations/);
    expect(() => createQuotas({ members: 0 })).not.toThrow();
  });
});
