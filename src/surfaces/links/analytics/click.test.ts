/** Single clicks through HTTP: pages, filters, files. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';
import { countable, loadAll, randomClicks } from '../../../../test/support/links/analytics.ts';
import type { ClickRecord } from '../clicks/click-record.ts';

const DAY = 86_400_000;
let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
let link: string;
let clicks: ClickRecord[];

const call = (path: string, key = home.key) => app.call(path, { key });
const makeLink = async (): Promise<string> =>
  (await app.call('/links', { key: home.key, body: { url: 'https://example.com/' } })).body.id;

/** All pages, as `times` of the clicks. */
async function walk(id: string, query = ''): Promise<{ times: number[]; pages: number }> {
  const times: number[] = [];
  let pages = 0;
  for (let cursor: string | null = ''; cursor !== null; pages += 1) {
    expect(pages).toBeLessThan(500);
    const { status, body } = await call(`/links/${id}/clicks?${query}${cursor && `&cursor=${cursor}`}`);
    expect(status, JSON.stringify(body)).toBe(200);
    times.push(...body.data.map((one: { created_at: string }) => Date.parse(one.created_at)));
    cursor = body.next_cursor;
    expect(body.has_more).toBe(cursor !== null);
  }
  return { times, pages };
}

beforeAll(async () => {
  app = await startTestApp();
  home = await startWorkspace(app);
  [link] = [await makeLink(), await makeLink()];
  const workspace = toUuid('workspace', home.workspace)!;
  const of = (days: number, from: number, count: number, seed: number) =>
    randomClicks(workspace, [toUuid('link', link)!], {
      from: new Date(Date.now() - from * DAY).toISOString(),
      until: new Date(Date.now() - (from - days) * DAY).toISOString(),
      count,
      seed,
    });
  // A day with many, some with few, and a long time with none.
  clicks = [...of(20, 85, 60, 1), ...of(1, 10, 300, 2), ...of(3, 4, 20, 3)].toSorted((a, b) => a.at - b.at);
  clicks[0] = { ...clicks[0]!, referrer: '=cmd()', city: null, country: null };
  await loadAll(app.database.db, clicks);
});
afterAll(() => app?.stop());

const newestFirst = (some: readonly ClickRecord[]): number[] =>
  some.map(({ at }) => at).toSorted((a, b) => b - a);

describe('the list', () => {
  test('has every click once, newest first, over all days', async () => {
    for (const limit of [7, 100]) {
      const { times, pages } = await walk(link, `limit=${limit}`);
      expect(times).toEqual(newestFirst(clicks));
      expect(pages).toBe(Math.ceil(clicks.length / limit));
    }
  });

  test('shows what is known of a click', async () => {
    const { body } = await call(`/links/${link}/clicks?limit=1`);
    const last = clicks.at(-1)!;
    const [counted] = countable([last]);
    expect(body.data).toEqual([
      {
        id: expect.stringMatching(/^clk_/),
        object: 'click',
        link_id: link,
        bot: last.isBot,
        country: last.country,
        city: last.city,
        device: counted!.device || null,
        os: counted!.os || null,
        browser: counted!.browser || null,
        referrer: last.referrer,
        language: last.language,
        utm: {
          source: last.utm[0],
          medium: last.utm[1],
          campaign: last.utm[2],
          term: null,
          content: null,
        },
        visitor: BigInt.asUintN(64, last.visitor).toString(16).padStart(16, '0'),
        address: null,
        destination_url: last.destinationUrl,
        message_id: null,
        contact_id: null,
        created_at: new Date(last.at).toISOString(),
      },
    ]);
  });

  test('has each click by its ID, under its own link alone', async () => {
    const { body } = await call(`/links/${link}/clicks?limit=1`);
    const [click] = body.data;
    const one = await call(`/links/${link}/clicks/${click.id}`);
    expect([one.status, one.body]).toEqual([200, click]);
    const other = await startWorkspace(app);
    expect(await call(`/links/${link}/clicks/${click.id}`, other.key)).toHaveStatus(404);
    expect(await call(`/links/${await makeLink()}/clicks/${click.id}`)).toHaveStatus(404);
    expect(await call(`/links/${link}/clicks/clk_nonsense`)).toHaveStatus(404);
  });

  test.each([
    ['bot=true', (one: ClickRecord) => one.isBot],
    ['bot=false', (one: ClickRecord) => !one.isBot],
    ['country=IN', (one: ClickRecord) => one.country === 'IN'],
    ['country=IN&bot=true', (one: ClickRecord) => one.country === 'IN' && one.isBot],
    ['city=', (one: ClickRecord) => one.city === null],
    ['utm_source=newsletter', (one: ClickRecord) => one.utm[0] === 'newsletter'],
    ['referrer=nowhere.example', () => false],
  ])('with %s', async (query, matches) => {
    expect((await walk(link, `${query}&limit=5`)).times).toEqual(newestFirst(clicks.filter(matches)));
  });

  test('between two times, neither of which counts', async () => {
    const [first, last] = [clicks[30]!.at, clicks[200]!.at];
    const query = `created_after=${new Date(first).toISOString()}&created_before=${new Date(last).toISOString()}&limit=50`;
    expect((await walk(link, query)).times).toEqual(
      newestFirst(clicks.filter(({ at }) => at > first && at < last)),
    );
  });

  test('is empty for a link that nobody clicked, and 404 for one that is not there', async () => {
    const empty = await call(`/links/${await makeLink()}/clicks`);
    expect(empty.body).toEqual({ object: 'list', data: [], has_more: false, next_cursor: null });
    const other = await startWorkspace(app);
    for (const path of ['', '/export'])
      expect(await call(`/links/${link}/clicks${path}`, other.key)).toHaveStatus(404);
  });

  test('ends where single clicks are no longer kept', async () => {
    const old = await makeLink();
    const workspace = toUuid('workspace', home.workspace)!;
    const at = (days: number) => new Date(Date.now() - days * DAY).toISOString();
    const made = randomClicks(workspace, [toUuid('link', old)!], {
      from: at(120),
      until: at(95),
      count: 10,
      seed: 4,
    });
    await loadAll(app.database.db, made);
    expect((await walk(old)).times).toEqual([]);
    const { body } = await call(`/analytics?link_id=${old}&from=${at(125)}`);
    expect(body.totals.clicks + body.totals.bot_clicks).toBe(10);
    const filtered = await call(`/analytics?link_id=${old}&from=${at(125)}&country=US`);
    expect([filtered.status, filtered.body.code]).toEqual([422, 'range_too_long']);
    // Days of a dimension are UTC days here, because single clicks are not stored by dimension.
    const from = new Date(made[3]!.at);
    from.setUTCMinutes(20, 0, 0);
    const byCountry = await call(`/analytics?link_id=${old}&group_by=country&from=${from.toISOString()}`);
    from.setUTCHours(0, 0, 0, 0);
    expect(byCountry.body.from).toBe(from.toISOString());
    const people = made.filter((one) => !one.isBot && one.at >= from.getTime()).length;
    expect(byCountry.body.totals.clicks).toBe(people);
    expect(byCountry.body.data.reduce((sum: number, one: { clicks: number }) => sum + one.clicks, 0)).toBe(
      people,
    );
  });
});

describe('the file', () => {
  test('has every click that fits, and no formula', async () => {
    const { headers, body } = await call(`/links/${link}/clicks/export`);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const lines = body
      .replace(/^\ufeff/, '')
      .trimEnd()
      .split('\r\n');
    expect(lines[0]).toBe(
      'id,created_at,link_id,bot,country,city,device,os,browser,referrer,language,utm_source,utm_medium,utm_campaign,utm_term,utm_content,visitor,address,message_id,contact_id,destination_url',
    );
    expect(lines.slice(1).map((line: string) => Date.parse(line.split(',')[1]!))).toEqual(
      newestFirst(clicks),
    );
    expect(lines.at(-1)).toContain(",'=cmd(),");
    const bots = await call(`/links/${link}/clicks/export?bot=true`);
    expect(bots.body.trimEnd().split('\r\n')).toHaveLength(1 + clicks.filter(({ isBot }) => isBot).length);
  });
});
