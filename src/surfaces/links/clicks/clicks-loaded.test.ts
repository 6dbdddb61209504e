/** Tests clicks end to end: from a visit to counters, to events for subscribers, and their erasure. */
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { PATIENCE } from '../../../../test/support/patience.ts';
import { openSse, type SseReader } from '../../../../test/support/events/sse.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;

beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(async () => {
  home = await startWorkspace(app);
});
afterAll(() => app.stop());

const BROWSER =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

const makeLink = async () => {
  const made = await app.call('/links', {
    key: home.key,
    body: { url: 'https://example.com/a?utm_source=mail' },
  });
  expect(made).toHaveStatus(201);
  return made.body as { id: string; slug: string };
};
async function visit(slug: string, agent = BROWSER): Promise<void> {
  const answer = await fetch(`${app.base}/${slug}`, { redirect: 'manual', headers: { 'user-agent': agent } });
  await answer.arrayBuffer();
  expect(answer).toHaveStatus(302);
}
const getCounters = async (id: string) => {
  const { body } = await app.call(`/links/${id}`, { key: home.key });
  return [body.clicks, body.unique_clicks, body.bot_clicks];
};
const clickEvents = async () =>
  (await app.call('/events?type=link.clicked', { key: home.key })).body.data as {
    data: { object: { id: string; clicks: number }; click: Record<string, unknown> };
  }[];

test('a visit is in the counters soon, and makes no event that nobody wants', async () => {
  const link = await makeLink();
  await visit(link.slug);
  await visit(link.slug);
  await visit(link.slug, 'Googlebot/2.1');
  await vi.waitFor(async () => expect(await getCounters(link.id)).toEqual([2, 1, 1]), PATIENCE);
  expect(await clickEvents()).toEqual([]);
});

test('a click changes the ETag for readers, and is no conflict for If-Match', async () => {
  const link = await makeLink();
  const read = (headers = {}) => app.call(`/links/${link.id}`, { key: home.key, headers });
  const etag = (await read()).headers.get('etag')!;
  expect(await read({ 'if-none-match': etag })).toHaveStatus(304);
  await visit(link.slug);
  await vi.waitFor(async () => {
    const { status, body } = await read({ 'if-none-match': etag });
    expect([status, body.clicks]).toEqual([200, 1]);
  }, PATIENCE);
  const change = (headers = {}) =>
    app.call(`/links/${link.id}`, { key: home.key, method: 'PATCH', body: { title: 'Spring' }, headers });
  const changed = await change({ 'if-match': etag });
  expect([changed.status, changed.headers.get('etag')]).toEqual([200, (await read()).headers.get('etag')]);
  expect(await change({ 'if-match': etag })).toHaveStatus(412);
});

test('an open stream is told of each click with its link, and a webhook has it in the log', async () => {
  const link = await makeLink();
  const reader: SseReader = await openSse(`${app.base}/api/v1/events/stream?type=link.clicked`, {
    authorization: `Bearer ${home.key}`,
  });
  try {
    await vi.waitFor(() => expect(reader.text()).toContain('retry'), PATIENCE);
    await visit(link.slug);
    await visit(link.slug, 'Googlebot/2.1');
    await vi.waitFor(() => expect(reader.events).toHaveLength(2), PATIENCE);
  } finally {
    reader.close();
  }
  const [first, second] = reader.events.map(({ data }) => data);
  expect(first).toMatchObject({
    type: 'link.clicked',
    data: {
      object: { id: link.id, object: 'link' },
      click: {
        object: 'click',
        link_id: link.id,
        bot: false,
        device: 'desktop',
        os: 'linux',
        browser: 'Chrome',
        utm: { source: 'mail', medium: null },
        address: null,
        visitor: expect.stringMatching(/^[0-9a-f]{16}$/),
      },
    },
  });
  expect(second.data.click.bot).toBe(true);
  const listed = await app.call(`/links/${link.id}/clicks`, { key: home.key });
  expect(listed.body.data.map(({ id }: { id: string }) => id).sort()).toEqual(
    [first.data.click.id, second.data.click.id].sort(),
  );
});

test('a deleted link takes along what is kept of its clicks; the sums of the workspace stay', async () => {
  const link = await makeLink();
  const other = await makeLink();
  for (const { slug } of [link, link, other]) await visit(slug);
  await vi.waitFor(async () => expect(await getCounters(other.id)).toEqual([1, 1, 0]), PATIENCE);
  await vi.waitFor(async () => expect(await getCounters(link.id)).toEqual([2, 1, 0]), PATIENCE);
  expect(await app.call(`/links/${link.id}`, { key: home.key, method: 'DELETE' })).toHaveStatus(204);
  const [deletedLink, otherLink, workspace] = [
    toUuid('link', link.id),
    toUuid('link', other.id),
    toUuid('workspace', home.workspace),
  ];
  const left = async (scope: string | null) => {
    const { rows } = await app.database.pool.query(
      `select (select count(*)::int from clicks where link_id = $1) as clicks,
         (select count(*)::int from link_visitors where link_id = $1) as visitors,
         (select count(*)::int from link_counters where link_id = $1) as counters,
         (select coalesce(sum(clicks), 0)::int from click_rollups where scope_id = $1 and resolution = 'day') as sum`,
      [scope],
    );
    return rows[0];
  };
  const nothing = { clicks: 0, visitors: 0, counters: 0, sum: 0 };
  await vi.waitFor(async () => expect(await left(deletedLink)).toEqual(nothing), {
    timeout: 240_000,
    interval: 100,
  });
  expect(await left(otherLink)).toEqual({ clicks: 1, visitors: 1, counters: 1, sum: 1 });
  expect((await left(workspace)).sum).toBe(3);
});
