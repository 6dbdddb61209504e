import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';

let app: TestApp;
let key: string;

beforeAll(async () => {
  app = await startTestApp();
  ({ key } = await startWorkspace(app, { scopes: ['links:create'] }));
});
afterAll(() => app.stop());

type Named = { id: string; scopes: string[] };

test('every scope with its meaning; presets, roles and browser scopes name only those', async () => {
  const { status, body } = await app.call('/scopes', { key });
  expect(status).toBe(200);
  expect(body).toMatchObject({ object: 'list', has_more: false, next_cursor: null });
  expect(body.data).toContainEqual({
    id: 'links:create',
    object: 'scope',
    description: 'Create short links only.',
    resource: 'links',
    action: 'create',
  });
  const ids = new Set(body.data.map(({ id }: { id: string }) => id));
  expect(ids.size).toBe(body.data.length);
  expect(body.presets.map(({ id }: Named) => id)).toEqual([
    'messaging',
    'links',
    'automation',
    'models',
    'full',
    'read_only',
  ]);
  expect(body.roles.map(({ id }: Named) => id)).toEqual(['owner', 'admin', 'developer', 'viewer']);
  const full = body.presets.find(({ id }: Named) => id === 'full');
  expect(full.scopes).toEqual([...ids].filter((id) => id !== 'api_keys:write'));
  const named = [...body.presets, ...body.roles].flatMap(({ scopes }: Named) => scopes);
  expect([...named, ...body.browser_scopes].filter((scope) => !ids.has(scope))).toEqual([]);
  expect(body.browser_scopes).toEqual(['models:read', 'models:invoke', 'links:create', 'publishing:publish']);
});

test('roles are as promised', async () => {
  const { body } = await app.call('/scopes', { key });
  const [owner, admin, developer, viewer] = body.roles.map(({ scopes }: Named) => new Set(scopes));
  expect(owner.size).toBe(body.data.length);
  expect(admin).toEqual(owner);
  expect([...owner].filter((scope) => !developer.has(scope)).sort()).toEqual([
    'audit:read',
    'audit:write',
    'members:write',
    'workspaces:write',
  ]);
  const reads = [...owner].filter((scope) => (scope as string).endsWith(':read'));
  expect(reads.filter((scope) => !viewer.has(scope)).sort()).toEqual(['api_keys:read', 'audit:read']);
  expect(viewer.size).toBe(reads.length - 2);
});

test('a person outside any workspace sees them, nobody else does', async () => {
  const person = await app.signUp();
  expect(await person.call('/scopes')).toHaveStatus(200);
  expect(await app.call('/scopes')).toHaveStatus(401);
});
