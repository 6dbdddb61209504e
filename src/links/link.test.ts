import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, startWorkspace, type TestApp } from '../testing/test-app.ts';
import { eventsOf } from '../workspaces/testing.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app);
});
afterAll(() => app.stop());

const call = (path: string, body?: unknown, method?: string, headers?: Record<string, string>) =>
  app.call(path, { key: home.key, body, method, headers });
let n = 0;
const fresh = () => `s${++n}`;

test('a link is made with all that it may have, and read again', async () => {
  const made = await call('/links', {
    url: 'https://example.com/a?b=1#c',
    slug: 'launch',
    title: 'Launch',
    tags: ['spring', 'Ads', 'SPRING'],
    max_clicks: 100,
    expires_at: '2099-01-01T00:00:00Z',
    expired_url: 'https://example.com/over',
    targeting: [{ when: { country: ['DE'] }, url: 'https://example.com/de' }],
    utm: { source: 'mail' },
    external_id: 'x1',
    metadata: { a: 'b' },
  });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  expect(made.body).toMatchObject({
    object: 'link',
    slug: 'launch',
    domain: new URL(app.config.baseUrl).host,
    short_url: `${app.config.baseUrl}/launch`,
    tags: ['Ads', 'spring'],
    state: 'active',
    utm: { source: 'mail', medium: null },
    clicks: 0,
    has_password: false,
    redirect_status: 302,
  });
  const read = await call(`/links/${made.body.id}`);
  expect(read.body).toEqual(made.body);
  expect(read.headers.get('etag')).toBe('"1"');
});

test('what changes is told with what it was; what changes nothing is not', async () => {
  const { body: link } = await call('/links', { url: 'https://example.com/', slug: fresh() });
  const changed = await call(`/links/${link.id}`, { title: 'T', tags: ['x'], slug: 'moved' }, 'PATCH');
  expect(changed.status, JSON.stringify(changed.body)).toBe(200);
  expect(changed.body).toMatchObject({ title: 'T', tags: ['x'], slug: 'moved' });
  const again = await call(`/links/${link.id}`, { title: 'T', tags: ['X'] }, 'PATCH');
  expect(again.headers.get('etag')).toBe('"2"');
  expect(again.body).toEqual(changed.body);
  const listed = await call('/links?search=moved');
  expect(listed.body.data.map(({ id }: { id: string }) => id)).toEqual([link.id]);
  const gone = await call(`/links/${link.id}`, undefined, 'DELETE');
  expect(gone.status).toBe(204);
  expect((await call(`/links/${link.id}`)).status).toBe(404);
});
