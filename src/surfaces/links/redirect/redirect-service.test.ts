/** Tests short links end to end: how the API describes them, and which processes redirect. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';
import { createRedirectService, type RedirectServiceDeps } from './redirect-service.ts';

const PERSON = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/141.0.0.0 Safari/537.36' };

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;

beforeAll(async () => {
  app = await startTestApp({ CLICK_SYNC: 'write' });
  home = await startWorkspace(app);
});
afterAll(() => app.stop());

const createLink = async (body: object) => (await app.call('/links', { key: home.key, body })).body;
const visit = async (path: string, base = app.base): Promise<string> => {
  const response = await fetch(base + path, { redirect: 'manual', headers: PERSON });
  await response.arrayBuffer();
  return response.headers.get('location') ?? String(response.status);
};

test('a link is followed as soon as it is made, and as it was changed within a second', async () => {
  const link = await createLink({ url: 'https://example.com/a', utm: { source: 'mail' } });
  expect(await visit(`/${link.slug}`)).toBe('https://example.com/a?utm_source=mail');
  await app.call(`/links/${link.id}`, {
    method: 'PATCH',
    key: home.key,
    body: { url: 'https://example.com/b' },
  });
  await vi.waitFor(
    async () => expect(await visit(`/${link.slug}`)).toBe('https://example.com/b?utm_source=mail'),
    PATIENCE,
  );
  await app.call(`/links/${link.id}`, { method: 'DELETE', key: home.key });
  await vi.waitFor(async () => expect(await visit(`/${link.slug}`)).toBe('404'), PATIENCE);
});

test('the last click of a link that has a limit makes it exhausted, and is told', async () => {
  const link = await createLink({ url: 'https://example.com/c', max_clicks: 2 });
  expect([await visit(`/${link.slug}`), await visit(`/${link.slug}`), await visit(`/${link.slug}`)]).toEqual([
    'https://example.com/c',
    'https://example.com/c',
    '410',
  ]);
  expect((await app.call(`/links/${link.id}`, { key: home.key })).body.state).toBe('exhausted');
  await vi.waitFor(async () => {
    const { body } = await app.call('/events?type=link.updated', { key: home.key });
    const events = body.data.filter(
      ({ data }: { data: { object: { id: string } } }) => data.object.id === link.id,
    );
    expect(events).toMatchObject([
      { data: { object: { state: 'exhausted' }, previous_attributes: { state: 'active' } } },
    ]);
  }, PATIENCE);
});

test('a password of the API opens the page', async () => {
  const { slug } = await createLink({ url: 'https://example.com/d', password: 'sesame' });
  expect(await visit(`/${slug}`)).toBe('200');
  const opened = await fetch(`${app.base}/${slug}`, {
    method: 'POST',
    redirect: 'manual',
    headers: PERSON,
    body: new URLSearchParams({ password: 'sesame' }),
  });
  expect(opened).toHaveStatus(303);
  const cookie = opened.headers.getSetCookie()[0]!.split(';')[0]!;
  const followed = await fetch(`${app.base}/${slug}`, { redirect: 'manual', headers: { ...PERSON, cookie } });
  expect(followed.headers.get('location')).toBe('https://example.com/d');
});

test('ROLE redirect follows links and says how it is, and nothing else; api follows none', async () => {
  const { slug } = await createLink({ url: 'https://example.com/e' });
  const follower = await startTestApp({ ROLE: 'redirect' }, app);
  const api = await startTestApp({ ROLE: 'api' }, app);
  try {
    expect(await visit(`/${slug}`, follower.base)).toBe('https://example.com/e');
    for (const path of ['/healthz', '/readyz', '/metrics'])
      expect(await fetch(follower.base + path)).toHaveStatus(200);
    for (const path of ['/api/v1/me', '/api/auth/ok', '/user/api', '/openapi.json', '/', '/docs'])
      expect(await fetch(follower.base + path)).toHaveStatus(404);
    expect(await visit(`/${slug}`, api.base)).toBe('404');
    expect(await api.call('/me', { key: home.key })).toHaveStatus(200);
  } finally {
    await Promise.all([follower.stop(), api.stop()]);
  }
});

test('does not start when clicks cannot be recorded', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-following-'));
  const file = join(folder, 'file');
  writeFileSync(file, '');
  chmodSync(file, 0o400);
  try {
    const config = { ...app.config, DATA_DIR: file };
    await expect(
      createRedirectService({
        config,
        control: app.database.db,
        registry: new Registry(),
      } as RedirectServiceDeps),
    ).rejects.toThrow(/^DATA_DIR \(.*file\) is not writable/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
