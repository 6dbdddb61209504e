import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { toUuid } from '../../platform/http/ids.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../test/support/test-app.ts';
import { getEvents } from '../../../test/support/workspaces.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

test('lists are told of where a webhook wants it, a burst of the same as one', async () => {
  const [home, other] = [await startWorkspace(app), await startWorkspace(app)];
  const listed = async ({ workspace }: { workspace: string }) =>
    (await getEvents(app, toUuid('workspace', workspace)!)).filter(({ type }) => type === 'link.listed');
  const hook = await app.call('/webhooks', {
    key: home.key,
    body: { url: 'https://hooks.example/', events: ['link.listed'], enabled: false },
  });
  const ask = (key: string, path = '/links?search=spring&limit=5') => app.call(path, { key });
  // Nobody wants it yet: had these been told of, they would come before what follows.
  await Promise.all([ask(home.key), ask(other.key)]);
  await app.call(`/webhooks/${hook.body.id}`, { key: home.key, method: 'PATCH', body: { enabled: true } });
  await vi.waitFor(async () => {
    await Promise.all(Array.from({ length: 5 }, () => ask(home.key, '/links?state=active')));
    expect(await listed(home)).not.toEqual([]);
  });
  const first = (await listed(home)).find(({ data }) => data.object.filter.state);
  expect(first!.data.object).toMatchObject({
    object: 'list',
    of: 'link',
    filter: { state: 'active' },
    sort: 'created_at',
    count: 0,
  });
  expect(first!.data.object.times).toBeGreaterThanOrEqual(5);
  expect(await listed(other)).toEqual([]);
});
