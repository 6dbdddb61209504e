/** Sums of clicks through HTTP, against counts that are made one click after the other. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { insertLinks } from '../../../../test/support/click-load.ts';
import { toUuid } from '../../../core/vocabulary/ids.ts';
import { startTestApp, startWorkspace, type TestApp } from '../../../../test/support/test-app.ts';
import { DIMENSIONS } from '../clicks/scopes.ts';
import { INTERVALS } from './time-buckets.ts';
import {
  type Counted,
  countable,
  intervalName,
  loadAll,
  randomClicks,
  getSums,
} from '../../../../test/support/links/analytics.ts';

const QUARTER = 900_000;
const DAY = 86_400_000;
/** Clocks are set within it: Berlin on 29 March and 25 October, Lord Howe on 5 April and 4 October. */
const FIRST = '2026-03-20T00:00:00Z';
const LAST = '2026-11-01T00:00:00Z';
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
  'Pacific/Apia',
  'America/St_Johns',
];

let app: TestApp;
let home: Awaited<ReturnType<typeof startWorkspace>>;
let other: typeof home;
let links: string[];
let clicks: Counted[];

const get = (query: Record<string, string>, path = '/analytics', key = home.key) =>
  app.call(`${path}?${String(new URLSearchParams(query))}`, { key });
async function analytics(query: Record<string, string>) {
  const { status, body } = await get(query);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}
const makeLink = async (body: object = {}, key = home.key): Promise<string> => {
  const made = await app.call('/links', { key, body: { url: 'https://example.com/', ...body } });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  return made.body.id;
};

beforeAll(async () => {
  // Without background work, which would drop the days of earlier visitors during loading.
  app = await startTestApp({ CLICKS_KEPT_DAYS: '3650', ROLE: 'api' });
  [home, other] = [await startWorkspace(app), await startWorkspace(app)];
  links = [
    await makeLink({ tags: ['Spring'], title: '=1+1' }),
    await makeLink({ tags: ['spring', 'mail'] }),
    await makeLink(),
  ];
  const workspace = toUuid('workspace', home.workspace)!;
  const ids = links.map((id) => toUuid('link', id)!);
  const some = (from: string, until: string, count: number, seed: number) =>
    randomClicks(workspace, ids, { from, until, count, seed });
  const made = [
    ...some(FIRST, LAST, 1_500, 1),
    ...some('2026-10-24T12:00:00Z', '2026-10-26T12:00:00Z', 800, 2),
    ...some('2026-10-03T00:00:00Z', '2026-10-05T00:00:00Z', 500, 3),
  ].toSorted((a, b) => a.at - b.at);
  await loadAll(app.database.db, made);
  clicks = countable(made).map((click) => ({ ...click, link: links[ids.indexOf(click.link)]! }));
});
afterAll(() => app?.stop());

const within = (all: readonly Counted[], { from, to }: { from: string; to: string }): Counted[] =>
  all.filter(({ at }) => at >= Date.parse(from) && at < Date.parse(to));
interface Item {
  start: string | null;
  value: string | null;
  clicks: number;
  unique_clicks: number | null;
  bot_clicks: number | null;
}
const plain = ({ clicks: people, unique_clicks, bot_clicks }: Item) => ({
  clicks: people,
  unique_clicks,
  bot_clicks,
});
const NONE = { clicks: 0, unique_clicks: 0, bot_clicks: 0 };

const scopes: (() => { query: Record<string, string>; all: readonly Counted[] })[] = [
  () => ({ query: {}, all: clicks }),
  () => ({ query: { link_id: links[0]! }, all: clicks.filter(({ link }) => link === links[0]) }),
  () => ({ query: { tag: 'SPRING' }, all: clicks.filter(({ link }) => link !== links[2]) }),
  () => ({ query: { domain: new URL(app.config.baseUrl).host }, all: clicks }),
  () => ({
    query: { tag: 'spring', link_id: links[1]! },
    all: clicks.filter(({ link }) => link === links[1]),
  }),
  () => ({ query: { tag: 'mail', link_id: links[0]! }, all: [] }),
];
const scope = fc.integer({ min: 0, max: scopes.length - 1 });
const time = fc.integer({ min: Date.parse(FIRST), max: Date.parse(LAST) });
/** Long ones, short ones, and days on which clocks are set. */
const range = fc
  .oneof(
    fc.tuple(time, time),
    fc
      .tuple(time, fc.integer({ min: 1, max: 3 * DAY }))
      .map(([from, length]) => [from, from + length] as const),
    fc
      .tuple(
        fc.constantFrom('2026-10-24T20:00:00Z', '2026-10-03T10:00:00Z'),
        fc.integer({ min: 1, max: 2 * DAY }),
      )
      .map(([from, length]) => [Date.parse(from), Date.parse(from) + length] as const),
  )
  .filter(([from, to]) => from !== to);
const toQuery = ([a, b]: readonly [number, number]) => ({
  from: new Date(Math.min(a, b)).toISOString(),
  to: new Date(Math.max(a, b)).toISOString(),
});
const widened = ({ from, to }: { from: string; to: string }) => ({
  from: new Date(Math.floor(Date.parse(from) / QUARTER) * QUARTER).toISOString(),
  to: new Date(Math.ceil(Date.parse(to) / QUARTER) * QUARTER).toISOString(),
});

describe('over time', () => {
  test('is what counting click by click gives, in any zone, range and interval', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ zone: fc.constantFrom(...ZONES), interval: fc.constantFrom(...INTERVALS), range, scope }),
        async ({ zone, interval, range: chosen, scope: nth }) => {
          const { query, all } = scopes[nth]!();
          const period = toQuery(chosen);
          const { status, body } = await get({ ...query, ...period, time_zone: zone, interval });
          const { from, to } = widened(period);
          const length = Date.parse(to) - Date.parse(from);
          if (status === 422) {
            expect(body.code).toBe('range_too_long');
            expect(length / (interval === 'hour' ? 4 * QUARTER : QUARTER)).toBeGreaterThan(990);
            return;
          }
          expect(status, JSON.stringify(body)).toBe(200);
          expect(body).toMatchObject({ object: 'analytics', from, to, time_zone: zone, interval });
          const name = (at: number) => intervalName(zone, interval, at);
          const expected = Map.groupBy(within(all, { from, to }), ({ at }) => name(at));
          const starts: number[] = body.data.map(({ start }: { start: string }) => Date.parse(start));
          // Each begins when its name is shown first, and nothing lies between them.
          for (const start of starts) expect(name(start - 1)).not.toBe(name(start));
          expect(starts).toEqual(starts.toSorted((a, b) => a - b));
          expect(starts[0]).toBeLessThanOrEqual(Date.parse(from));
          starts.forEach((start, n) =>
            expect(name((starts[n + 1] ?? Math.max(start + 1, Date.parse(to))) - 1)).toBe(name(start)),
          );
          const actual = body.data.map((item: Item) => [name(Date.parse(item.start!)), plain(item)]);
          expect(actual).toEqual(
            starts.map((start) => [name(start), getSums(expected.get(name(start)) ?? [])]),
          );
          expect(body.totals).toEqual(getSums(within(all, { from, to })));
        },
      ),
      { numRuns: 80, endOnFailure: true },
    );
  });

  test.each([
    ['Europe/Berlin', '2026-10-25', 25],
    ['Europe/Berlin', '2026-03-29', 23],
    // Clocks go on, or back, by half an hour: one of the hours is half as long.
    ['Australia/Lord_Howe', '2026-10-04', 24],
    ['Australia/Lord_Howe', '2026-04-05', 25],
    ['Asia/Kathmandu', '2026-10-04', 24],
  ])('a day in %s, %s, has %i hours', async (zone, day, hours) => {
    const body = await analytics({ time_zone: zone, from: day, to: day, interval: 'hour' });
    expect(body.data).toHaveLength(hours);
    const whole = await analytics({ time_zone: zone, from: day, to: day, interval: 'day' });
    expect(whole.data).toHaveLength(1);
    expect(whole.totals).toEqual(body.totals);
    expect(intervalName(zone, 'hour', Date.parse(whole.from))).toContain(`${day} 00`);
  });

  test.each([
    // A date that was never there, a midnight that clocks skipped, and one that they showed twice.
    [
      'Pacific/Apia',
      '2011-12-29',
      '2012-01-01',
      ['2011-12-29T10:00', '2011-12-30T10:00', '2011-12-31T10:00'],
    ],
    ['Africa/Cairo', '2024-04-26', '2024-04-26', ['2024-04-25T22:00']],
    ['America/Havana', '2026-11-01', '2026-11-02', ['2026-11-01T04:00', '2026-11-02T05:00']],
  ])('days in %s from %s to %s begin where their date is shown first', async (zone, from, to, starts) => {
    const { data } = await analytics({ time_zone: zone, from, to, interval: 'day' });
    expect(data.map(({ start }: Item) => start!.slice(0, 16))).toEqual(starts);
  });

  test('compares with as long a time before by the clock, interval by interval', async () => {
    const query = { time_zone: 'Europe/Berlin', from: '2026-10-20', to: '2026-10-26', interval: 'day' };
    const body = await analytics({ ...query, compare: 'previous_period' });
    // Seven days each, one of which has 25 hours.
    expect(body.previous).toMatchObject({
      from: '2026-10-12T22:00:00.000Z',
      to: '2026-10-19T22:00:00.000Z',
    });
    const before = await analytics({ ...query, from: '2026-10-13', to: '2026-10-19' });
    expect(body.previous.totals).toEqual(before.totals);
    expect(before.totals.clicks).toBeGreaterThan(0);
    expect(body.data.map((item: { previous: object }) => item.previous)).toEqual(
      before.data.map(({ clicks: people, unique_clicks, bot_clicks }: never) => ({
        clicks: people,
        unique_clicks,
        bot_clicks,
      })),
    );
  });

  test('is 30 days to now by itself, and picks the interval by the length', async () => {
    const body = await analytics({ time_zone: 'Asia/Kathmandu' });
    expect(body).toMatchObject({ interval: 'day', group_by: 'time', previous: null, complete: true });
    expect(body.data).toHaveLength(30);
    expect(Date.parse(body.to)).toBeGreaterThanOrEqual(Date.now() - 1_000);
    const picked = async (from: string, to: string) => (await analytics({ from, to })).interval;
    expect(await picked('2026-10-01T00:00:00Z', '2026-10-01T06:00:00Z')).toBe('quarter_hour');
    expect(await picked('2026-10-01', '2026-10-01')).toBe('hour');
    expect(await picked('2026-01-01', '2026-06-30')).toBe('week');
    expect(await picked('2020-01-01', '2026-06-30')).toBe('month');
  });
});

describe('by dimension', () => {
  test('is what counting gives, with and without filters', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          dimension: fc.constantFrom(...DIMENSIONS),
          range,
          scope,
          filtered: fc.option(fc.tuple(fc.constantFrom(...DIMENSIONS), fc.nat())),
          bot: fc.option(fc.boolean()),
          byTime: fc.boolean(),
        }),
        async ({ dimension, range: chosen, scope: nth, filtered, bot, byTime }) => {
          const { query, all } = scopes[nth]!();
          const period = widened(toQuery(chosen));
          const inRange = within(all, period);
          const filter = filtered && {
            name: filtered[0],
            value: clicks[filtered[1] % clicks.length]![filtered[0]],
          };
          const matching = inRange.filter(
            (click) =>
              (!filter || click[filter.name] === filter.value) && (bot === null || click.bot === bot),
          );
          const { data, totals, from, to } = await analytics({
            ...query,
            ...period,
            ...(filter ? { [filter.name]: filter.value } : {}),
            ...(bot === null ? {} : { bot: String(bot) }),
            ...(byTime ? { interval: 'week' } : { group_by: dimension, limit: '1000' }),
          });
          expect({ from, to }).toEqual(period);
          const isRaw = filter !== null || (bot === true && !byTime);
          // Of the matching clicks, the first one per visitor counts.
          const seen = new Set<string>();
          const counted = isRaw
            ? matching.map((click) => {
                const unique = !click.bot && !seen.has(click.visit);
                if (!click.bot) seen.add(click.visit);
                return { ...click, unique };
              })
            : matching;
          expect(totals).toEqual(getSums(counted));
          if (byTime) {
            expect(data.reduce((sum: number, one: { clicks: number }) => sum + one.clicks, 0)).toBe(
              totals.clicks,
            );
            expect(
              data.reduce((sum: number, one: { unique_clicks: number }) => sum + one.unique_clicks, 0),
            ).toBe(totals.unique_clicks);
            return;
          }
          const groups = Map.groupBy(
            isRaw ? matching : matching.filter((click) => !click.bot),
            (one) => one[dimension],
          );
          const expected = [...groups].map(([value, some]) => ({
            value: value === '' ? null : value,
            clicks: getSums(some).clicks,
            bot_clicks: isRaw ? getSums(some).bot_clicks : bot === false ? 0 : null,
          }));
          const shown = data.map(({ value, clicks: people, bot_clicks }: never) => ({
            value,
            clicks: people,
            bot_clicks,
          }));
          const order = (list: typeof expected) =>
            list.toSorted((a, b) => (String(a.value) < String(b.value) ? -1 : 1));
          expect(order(shown)).toEqual(order(expected));
          const counts = shown.map((one: { clicks: number; bot_clicks: number }) =>
            bot ? one.bot_clicks : one.clicks,
          );
          expect(counts).toEqual(counts.toSorted((a: number, b: number) => b - a));
        },
      ),
      { numRuns: 80, endOnFailure: true },
    );
  });

  test('compares the values that are shown with themselves', async () => {
    const query = { from: '2026-10-20', to: '2026-10-26', group_by: 'country', limit: '3' };
    const body = await analytics({ ...query, compare: 'previous_period' });
    const before = within(clicks, body.previous).filter(({ bot }) => !bot);
    expect(body.data).toHaveLength(3);
    for (const { value, previous } of body.data)
      expect(previous).toEqual({
        clicks: before.filter(({ country }) => country === value).length,
        unique_clicks: null,
        bot_clicks: null,
      });
  });

  test('tells people from bots', async () => {
    const body = await analytics({ from: '2026-10-01', to: '2026-10-31', group_by: 'bot' });
    const { clicks: people, unique_clicks, bot_clicks } = getSums(within(clicks, body));
    expect(body.data).toMatchObject([
      { value: 'false', clicks: people, unique_clicks, bot_clicks: 0 },
      { value: 'true', clicks: 0, unique_clicks: 0, bot_clicks },
    ]);
  });
});

describe('by link', () => {
  const asList = (all: Counted[]) =>
    links
      .map((id) => ({ value: id, ...getSums(all.filter(({ link }) => link === id)) }))
      .filter((one) => one.clicks > 0)
      .toSorted((a, b) => b.clicks - a.clicks);

  test.each([{}, { tag: 'spring' }, { domain: 'own' }, { bot: 'false' }])(
    '%j: the most clicked first',
    async (more) => {
      const query = { from: '2026-10-01', to: '2026-10-20', group_by: 'link', compare: 'previous_period' };
      const own = 'domain' in more ? { domain: new URL(app.config.baseUrl).host } : more;
      const body = await analytics({ ...query, ...(own as Record<string, string>) });
      const all = clicks.filter(
        ({ link, bot }) => !('tag' in more && link === links[2]) && !('bot' in more && bot),
      );
      const shown = body.data.map((item: Item) => ({ value: item.value, ...plain(item) }));
      expect(shown).toEqual(asList(within(all, body)));
      expect(body.complete).toBe(true);
      const first = body.data[0];
      expect(first.previous).toEqual(
        getSums(within(all, body.previous).filter(({ link }) => link === first.value)),
      );
      const link = await app.call(`/links/${first.value}`, { key: home.key });
      expect(first.link).toEqual({
        id: first.value,
        short_url: link.body.short_url,
        url: link.body.url,
        title: link.body.title,
      });
    },
  );

  test('finds a link that few clicked in all, but most in the range', async () => {
    const workspace = await startWorkspace(app);
    const made: string[] = [];
    for (let n = 0; n < 8; n++) made.push(await makeLink({}, workspace.key));
    const uuid = toUuid('workspace', workspace.workspace)!;
    const ids = made.map((id) => toUuid('link', id)!);
    await loadAll(app.database.db, [
      ...ids.slice(0, 7).flatMap((id, n) =>
        randomClicks(uuid, [id], {
          from: '2026-05-01T00:00:00Z',
          until: '2026-05-09T00:00:00Z',
          count: 50,
          seed: n,
        }),
      ),
      ...randomClicks(uuid, [ids[7]!], {
        from: '2026-06-01T00:00:00Z',
        until: '2026-06-03T00:00:00Z',
        count: 9,
        seed: 9,
      }),
    ]);
    const query = { from: '2026-05-30', to: '2026-06-30', group_by: 'link', limit: '2' };
    const { body } = await get(query, '/analytics', workspace.key);
    expect(body.data.map(({ value }: { value: string }) => value)).toEqual([made[7]]);
  });
});

test('says that links may be missing where too many were clicked alike', async () => {
  const workspace = await startWorkspace(app);
  const uuid = toUuid('workspace', workspace.workspace)!;
  const ids = await insertLinks(app.database.db, uuid, 2_001);
  // In other times than those that are asked for.
  await app.database.pool.query(
    'update link_counters set clicks = 5, last_clicked_at = now() where workspace_id = $1',
    [uuid],
  );
  const query = { from: '2026-05-01', to: '2026-05-30', group_by: 'link' };
  const complete = async () => (await get(query, '/analytics', workspace.key)).body.complete;
  expect(await complete()).toBe(false);
  await app.database.pool.query(
    'update link_counters set clicks = 0 where workspace_id = $1 and link_id = any($2)',
    [uuid, ids.slice(0, 2)],
  );
  expect(await complete()).toBe(true);
});

describe('asks for what can be told', () => {
  test('an empty workspace has zeros', async () => {
    const { body } = await get({ compare: 'previous_period' }, '/analytics', other.key);
    expect(body.totals).toEqual(NONE);
    expect(body.previous.totals).toEqual(NONE);
    expect(body.data).toHaveLength(30);
    for (const group of ['country', 'link'])
      expect((await get({ group_by: group }, '/analytics', other.key)).body.data).toEqual([]);
  });

  test.each([
    { time_zone: 'Mars/Olympus' },
    { time_zone: '+02:00' },
    { from: 'yesterday' },
    { from: '2026-02-30' },
    { to: '2026-01-01T00:00:00' },
    { from: '2026-02-02', to: '2026-02-01' },
    { from: '1999-12-31' },
    { interval: 'year' },
    { group_by: 'visitor' },
    { contry: 'DE' },
  ])('400 for %j', async (query) => {
    const { status, body } = await get(query as unknown as Record<string, string>);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.errors).toHaveLength(1);
  });

  test('tells all that is wrong with time at once', async () => {
    const { body } = await get({ time_zone: 'Nowhere', from: 'a', to: 'b' });
    const pointers = body.errors.map(({ pointer }: { pointer: string }) => pointer);
    expect(pointers).toEqual(['?time_zone', '?from', '?to']);
  });

  test("404 for what is not there, or another workspace's", async () => {
    const foreign = await makeLink({ tags: ['theirs'] }, other.key);
    for (const query of [{ link_id: foreign }, { tag: 'theirs' }, { domain: 'example.com' }] as Record<
      string,
      string
    >[])
      for (const path of ['/analytics', '/analytics/export']) {
        const { status, body } = await get(query, path);
        expect([status, body.errors[0].pointer]).toEqual([404, `?${Object.keys(query)[0]}`]);
      }
  });

  test('422 for too many intervals, and for filters on clicks that are not kept', async () => {
    const long = await get({ from: '2026-01-01', to: '2026-06-30', interval: 'hour' });
    expect([long.status, long.body.code]).toEqual([422, 'range_too_long']);
    const response = await get({ from: '2001-01-01', country: 'DE' });
    expect([response.status, response.body.code]).toEqual([422, 'range_too_long']);
  });
});

describe('as CSV', () => {
  const lines = (text: string) =>
    text
      .replace(/^\ufeff/, '')
      .trimEnd()
      .split('\r\n');

  test('has a line for each interval, with the period before beside it', async () => {
    const query = { from: '2026-10-20', to: '2026-10-26', compare: 'previous_period' };
    const json = await analytics(query);
    const { status, headers, body } = await get(query, '/analytics/export');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    const [head, ...rest] = lines(body);
    expect(head).toBe(
      'start,clicks,unique_clicks,bot_clicks,previous_clicks,previous_unique_clicks,previous_bot_clicks',
    );
    expect(rest).toEqual(
      json.data.map(({ start, clicks: people, unique_clicks, bot_clicks, previous }: never) =>
        [start, people, unique_clicks, bot_clicks, ...Object.values(previous)].join(','),
      ),
    );
  });

  test('names links, and holds no formula', async () => {
    const { body } = await get({ from: '2026-04-01', group_by: 'link', tag: 'spring' }, '/analytics/export');
    const [head, ...rest] = lines(body);
    expect(head).toBe('link_id,short_url,url,title,clicks,unique_clicks,bot_clicks');
    expect(rest).toHaveLength(2);
    expect(body).toContain(",'=1+1,");
  });
});
