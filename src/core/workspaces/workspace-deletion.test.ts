import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { toUuid } from '../vocabulary/ids.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';
import { getEvents, join, makeKey } from '../../../test/support/workspaces.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
let stranger: Awaited<ReturnType<typeof startWorkspace>>;

beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app);
  stranger = await startWorkspace(app);
});
afterAll(() => app.stop());

const uuid = (id: string) => toUuid('workspace', id)!;
const asOwner = (path: string, options: object = {}) =>
  home.owner.call(path, { workspace: home.workspace, ...options });
const path = () => `/workspaces/${home.workspace}`;

describe('delete', () => {
  const remove = (who: typeof home.owner, workspace: string, slug: string) =>
    who.call(`/workspaces/${workspace}?slug=${slug}`, { workspace, method: 'DELETE' });

  test('ends it for everybody at once, frees the slug, and tells', async () => {
    const doomed = await startWorkspace(app);
    const member = await join(app, doomed, 'viewer');
    expect(await app.call('/me', { key: doomed.key })).toHaveStatus(200);
    const { slug } = (
      await doomed.owner.call(`/workspaces/${doomed.workspace}`, { workspace: doomed.workspace })
    ).body;
    const { status } = await remove(doomed.owner, doomed.workspace, slug);
    expect(status).toBe(204);

    await vi.waitFor(async () => expect(await app.call('/me', { key: doomed.key })).toHaveStatus(401));
    const session = await member.call('/members', { workspace: doomed.workspace });
    expect([session.status, session.body.code]).toEqual([403, 'workspace_required']);
    expect((await doomed.owner.call('/workspaces')).body.data).toEqual([]);

    const again = await doomed.owner.call('/workspaces', { body: { name: 'Anew', slug } });
    expect(again).toHaveStatus(201);
    const events = await getEvents(app, uuid(doomed.workspace));
    expect(events.at(-1)).toMatchObject({ type: 'workspace.deleted', data: { object: { slug } } });
  });

  test('ends what its keys allowed to web pages', async () => {
    const doomed = await startWorkspace(app);
    const origin = 'https://doomed.example';
    await makeKey(doomed, {
      scopes: ['models:read'],
      allowed_origins: [origin],
      expires_at: '2090-01-01T00:00:00Z',
      rate_limit: 60,
    });
    const preflight = async () =>
      (
        await app.call('/models', {
          method: 'OPTIONS',
          headers: { origin, 'access-control-request-method': 'GET' },
        })
      ).headers.get('access-control-allow-origin');
    await vi.waitFor(async () => expect(await preflight()).toBe(origin));
    const { slug } = (await app.call(`/workspaces/${doomed.workspace}`, { key: doomed.key })).body;
    expect(await remove(doomed.owner, doomed.workspace, slug)).toHaveStatus(204);
    await vi.waitFor(async () => expect(await preflight()).toBeNull());
  });

  test('asks for the slug', async () => {
    const wrong = await remove(home.owner, home.workspace, 'wrong');
    expect([wrong.status, wrong.body.code]).toEqual([422, 'confirmation_mismatch']);
    const none = await asOwner(path(), { method: 'DELETE' });
    expect([none.status, none.body.errors[0].pointer]).toEqual([400, '?slug']);
    expect(await asOwner(path())).toHaveStatus(200);
  });

  test('is for owners: neither an admin, nor a key with every scope', async () => {
    const { slug } = (await asOwner(path())).body;
    const admin = await join(app, home, 'admin');
    const byAdmin = await remove(admin, home.workspace, slug);
    expect([byAdmin.status, byAdmin.body.code]).toEqual([403, 'owner_required']);
    const key = await makeKey(home, { preset: 'full' });
    const byKey = await app.call(`${path()}?slug=${slug}`, { key, method: 'DELETE' });
    expect([byKey.status, byKey.body.code]).toEqual([403, 'session_required']);
    const developer = await join(app, home, 'developer');
    const byDeveloper = await remove(developer, home.workspace, slug);
    expect([byDeveloper.status, byDeveloper.body.code]).toEqual([403, 'insufficient_scope']);
    const foreign = await stranger.owner.call(`${path()}?slug=${slug}`, {
      workspace: stranger.workspace,
      method: 'DELETE',
    });
    expect(foreign).toHaveStatus(404);
    expect(await asOwner(path())).toHaveStatus(200);
  });
});
