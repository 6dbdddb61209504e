import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';
import { getEvents } from '../../../../test/support/workspaces.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

test('emits one event for a burst of identical listings, while a webhook subscribes to it', async () => {
  const [home, other] = [await startWorkspace(app), await startWorkspace(app)];
  const listed = async ({ workspace }: { workspace: string }) =>
    (await getEvents(app, toUuid('workspace', workspace)!)).filter(({ type }) => type === 'link.listed');
  const hook = await app.call('/webhooks', {
    key: home.key,
    body: { url: 'https://hooks.example/', events: ['link.listed'], enabled: false },
  });
  const ask = (key: string, path = '/links?search=spring&limit=5') => app.call(path, { key });
  // Has no subscriber yet: an event about these would come before the following ones.
  await Promise.all([ask(home.key), ask(other.key)]);
  await app.call(`/webhooks/${hook.body.id}`, { key: home.key, method: 'PATCH', body: { enabled: true } });
  await vi.waitFor(async () => {
    await Promise.all(Array.from({ length: 5 }, () => ask(home.key, '/links?state=active')));
    expect(await listed(home)).not.toEqual([]);
  });
  const lists = async () =>
    (await listed(home)).map(({ data }) => data.object).filter(({ filter }) => filter.state);
  expect((await lists())[0]).toMatchObject({
    object: 'list',
    of: 'link',
    filter: { state: 'active' },
    sort: 'created_at',
    count: 0,
  });
  // A flush may come amid a burst, and divide it in two.
  await vi.waitFor(async () => {
    const all = await lists();
    const times = all.reduce((sum, one) => sum + one.times, 0);
    expect(times).toBeGreaterThanOrEqual(5);
    expect(all.length).toBeLessThan(times);
  });
  expect(await listed(other)).toEqual([]);
});

test('emits no event for listings with a session', async () => {
  const home = await startWorkspace(app);
  await app.call('/webhooks', {
    key: home.key,
    body: { url: 'https://hooks.example/', events: ['link.listed'] },
  });
  const filters = async () =>
    (await getEvents(app, toUuid('workspace', home.workspace)!))
      .filter(({ type }) => type === 'link.listed')
      .map(({ data }) => data.object.filter);
  await vi.waitFor(async () => {
    const { status } = await home.owner.call('/links?search=console', { workspace: home.workspace });
    expect(status).toBe(200);
    // Both are written by the same flush.
    await app.call('/links?search=key', { key: home.key });
    expect(await filters()).not.toEqual([]);
  });
  await vi.waitFor(async () => {
    await app.call('/links?search=last', { key: home.key });
    expect(await filters()).toContainEqual({ search: 'last' });
  });
  expect(await filters()).not.toContainEqual({ search: 'console' });
});
