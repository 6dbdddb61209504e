import { afterAll, beforeAll, expect, test } from 'vitest';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';
import { getEvents } from '../../../../test/support/workspaces.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app);
});
afterAll(() => app.stop());

const call = (path: string, body?: unknown, method?: string, headers?: Record<string, string>) =>
  app.call(path, { key: home.key, body, method, headers });
const events = () => getEvents(app, toUuid('workspace', home.workspace)!);
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
  expect(read.headers.get('etag')).toMatch(/^"1-/);
});

test('what changes is told with what it was; what changes nothing is not', async () => {
  const { body: link } = await call('/links', { url: 'https://example.com/', slug: fresh() });
  const changed = await call(`/links/${link.id}`, { title: 'T', tags: ['x'], slug: 'moved' }, 'PATCH');
  expect(changed.status, JSON.stringify(changed.body)).toBe(200);
  expect(changed.body).toMatchObject({ title: 'T', tags: ['x'], slug: 'moved' });
  const again = await call(`/links/${link.id}`, { title: 'T', tags: ['X'] }, 'PATCH');
  expect(again.headers.get('etag')).toMatch(/^"2-/);
  expect(again.body).toEqual(changed.body);
  const listed = await call('/links?search=moved');
  expect(listed.body.data.map(({ id }: { id: string }) => id)).toEqual([link.id]);
  const deletion = await call(`/links/${link.id}`, undefined, 'DELETE');
  expect(deletion).toHaveStatus(204);
  expect(await call(`/links/${link.id}`)).toHaveStatus(404);
});

test('many at once: the good ones are done, nothing of the others stays behind', async () => {
  const slug = fresh();
  const made = await call('/links/bulk', {
    links: [
      { url: 'https://example.com/1', slug, tags: ['bulk'] },
      { url: 'https://example.com/2', slug, tags: ['never'] },
      { url: 'nonsense' },
      { url: 'https://example.com/3', slgu: 'x' },
      { url: 'https://example.com/4', password: 'open sesame' },
    ],
  });
  expect(made.body.results, JSON.stringify(made.body)).toMatchObject([
    { index: 0, status: 201, error: null },
    { index: 1, status: 409, link: null, error: { code: 'slug_taken' } },
    { index: 2, status: 400, error: { errors: [{ pointer: '/url', code: 'invalid_url' }] } },
    { index: 3, status: 400, error: { errors: [{ code: 'unknown_field' }] } },
    { index: 4, status: 201, link: { has_password: true } },
  ]);
  expect(made.body).toMatchObject({ succeeded: 2, failed: 3 });
  expect((await call('/tags?search=never')).body.data).toEqual([]);
  const ids = [0, 4].map((nth) => made.body.results[nth].link.id);
  const missing = 'lnk_01h2xcejqtf2nbrexx3vqjhp41';
  const changed = await call(
    '/links/bulk',
    { ids: [...ids, missing], add_tags: ['new'], remove_tags: ['BULK'], archived: true },
    'PATCH',
  );
  expect(changed.body.results).toMatchObject([
    { status: 200, link: { tags: ['new'], state: 'archived' } },
    { status: 200, link: { tags: ['new'], state: 'archived' } },
    { status: 404, link: null, error: { code: 'not_found' } },
  ]);
  const deletion = await call('/links/bulk', { ids: [missing, ...ids] }, 'DELETE');
  expect(deletion.body.results.map(({ status }: { status: number }) => status)).toEqual([404, 204, 204]);
  const deletedEvents = (await events()).filter(({ data }) => ids.includes(data.object.id));
  expect(deletedEvents.map(({ type }) => type)).toEqual([
    'link.created',
    'link.created',
    'link.updated',
    'link.updated',
    'link.deleted',
    'link.deleted',
  ]);
  expect(JSON.stringify(deletedEvents)).not.toContain('argon2');
});
