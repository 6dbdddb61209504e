/** Loading on a real database, against a count that is made by hand. */
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import fc from 'fast-check';
import { DAY_MS } from '../../../platform/db/partitions.ts';
import { openDatabase, openPool } from '../../../platform/db/database.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/db.ts';
import { newUuid } from '../../../platform/http/ids.ts';
import {
  generateClicks,
  insertLinks,
  getLoader,
  memoryJournal,
  getUnits,
} from '../../../../test/support/click-load.ts';
import { classify } from '../visitor/user-agent.ts';
import type { ClickRecord } from './click-record.ts';
import type { JournalSource } from '../../../platform/journal/journal-source.ts';
import { cityValue, DEFAULT_DOMAIN_SCOPE, DIMENSIONS, MAX_VALUES, OTHER } from './scopes.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const TABLES = ['clicks', 'link_visitors', 'click_rollups', 'link_counters', 'journals', 'links', 'domains'];
const query = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows;
afterEach(() => query(`truncate ${TABLES.join(', ')}`));

const WORKSPACE = newUuid();
const FROM = new Date(Date.now() - 3 * DAY_MS);
const HOUR_MS = 3_600_000;

interface Sums {
  clicks: number;
  bots: number;
  uniques: number;
  /** By number: people, bots, uniques. */
  quarters: Record<string, [number, number, number]> | null;
  dimensions: Record<string, Record<string, number>>;
}
type State = Record<string, Sums>;

const ascending = (counts: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));

/** The expected rows of `click_rollups`, counted click by click. */
function counted(records: readonly ClickRecord[], scopes: (record: ClickRecord) => string[]): State {
  const seen = new Set<string>();
  const state: State = {};
  for (const record of records) {
    const visit = `${record.linkId} ${Math.floor(record.at / DAY_MS)} ${record.visitor}`;
    const isUnique = !record.isBot && !seen.has(visit);
    if (isUnique) seen.add(visit);
    const { device, os, browser } = classify(record.userAgent);
    const { country, city, referrer, language, utm } = record;
    const [utm_source, utm_medium, utm_campaign, utm_term, utm_content] = utm;
    const ofVisit = { country, city: cityValue(city, country), device, os, browser, referrer, language };
    const values: Record<string, string | null | undefined> = {
      ...ofVisit,
      utm_source,
      utm_medium,
      utm_campaign,
      utm_term,
      utm_content,
      destination_url: record.destinationUrl,
    };
    for (const scope of scopes(record))
      for (const [resolution, size] of [['h', HOUR_MS] as const, ['d', DAY_MS] as const]) {
        const isOfLink = scope === record.linkId;
        if (isOfLink && resolution === 'h') continue;
        const bucket = Math.floor(record.at / size) * size;
        const sums = (state[`${scope} ${resolution} ${new Date(bucket).toISOString()}`] ??= {
          clicks: 0,
          bots: 0,
          uniques: 0,
          quarters: isOfLink || resolution === 'h' ? {} : null,
          dimensions: {},
        });
        if (record.isBot) sums.bots++;
        else sums.clicks++;
        if (isUnique) sums.uniques++;
        if (sums.quarters) {
          const quarter = (sums.quarters[Math.floor((record.at - bucket) / 900_000)] ??= [0, 0, 0]);
          quarter[record.isBot ? 1 : 0]++;
          if (isUnique) quarter[2]++;
        }
        if (record.isBot) continue;
        for (const name of DIMENSIONS) {
          const counts = (sums.dimensions[name] ??= {});
          const value = values[name] ?? '';
          counts[value] = (counts[value] ?? 0) + 1;
        }
      }
  }
  return sorted(state);
}
const sorted = (state: State): State => {
  for (const sums of Object.values(state))
    sums.dimensions = Object.fromEntries(
      Object.entries(sums.dimensions).map(([name, counts]) => [name, ascending(counts)]),
    );
  return state;
};

/** As the table has them, with each dimension written out. */
function written(clicks: number, dimensions: (Record<string, number> | string | null)[]): Sums['dimensions'] {
  if (!clicks) return {};
  return Object.fromEntries(
    DIMENSIONS.map((name, nth) => {
      const counts = dimensions[nth] ?? '';
      if (typeof counts === 'string') return [name, { [counts]: clicks }];
      expect(Object.keys(counts).length).toBeGreaterThan(1);
      return [name, counts];
    }),
  );
}

async function stored(): Promise<State> {
  const rows = await query('select * from click_rollups');
  return sorted(
    Object.fromEntries(
      rows.map(({ scope_id, resolution, bucket, clicks, bots, uniques, quarters, dimensions }) => [
        `${scope_id} ${resolution} ${bucket.toISOString()}`,
        {
          clicks,
          bots,
          uniques,
          quarters:
            quarters &&
            Object.fromEntries(
              Array.from({ length: quarters.length / 4 }, (_, n) => [
                quarters[n * 4],
                quarters.slice(n * 4 + 1, n * 4 + 4),
              ]),
            ),
          dimensions: written(clicks, dimensions),
        },
      ]),
    ),
  );
}
const everyScope = ({ linkId }: ClickRecord): string[] => [linkId, WORKSPACE, DEFAULT_DOMAIN_SCOPE];

const clicksFor = (linkIds: string[], count: number, seed: number): ClickRecord[] => [
  ...generateClicks({ count, workspaceId: WORKSPACE, linkIds, from: FROM, until: new Date(), seed }),
];
const one = (linkId: string, more: Partial<ClickRecord> = {}): ClickRecord => ({
  at: Date.now(),
  workspaceId: WORKSPACE,
  linkId,
  visitor: 1n,
  isBot: false,
  country: 'DE',
  city: 'Berlin',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  referrer: null,
  language: 'de',
  utm: [null, null, null, null, null],
  address: null,
  destinationUrl: null,
  ...more,
});

/** Returns parts of the given sizes, repeatedly, regardless of the requested size. */
function inParts(source: JournalSource<ClickRecord>, sizes: number[]): JournalSource<ClickRecord> {
  let nth = 0;
  return {
    ...source,
    read: (segment, position) => source.read(segment, position, sizes[nth++ % sizes.length]! * 200),
  };
}

async function expectExact(records: ClickRecord[]): Promise<void> {
  expect(await stored()).toEqual(counted(records, everyScope));
  const people = records.filter(({ isBot }) => !isBot);
  const uniques = new Set(people.map((r) => `${r.linkId} ${Math.floor(r.at / DAY_MS)} ${r.visitor}`)).size;
  expect(
    (
      await query(`select (select count(*)::int from clicks) as rows, sum(clicks)::int as clicks,
        sum(bot_clicks)::int as bots, sum(unique_clicks)::int as uniques, max(last_clicked_at) as last from link_counters`)
    )[0],
  ).toEqual({
    rows: records.length,
    clicks: people.length,
    bots: records.length - people.length,
    uniques,
    last: new Date(Math.max(...people.map(({ at }) => at))),
  });
}

describe('loading', () => {
  test('sums are the clicks, wherever batches begin and end', async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 1e6 }), sizes, async (seed, parts) => {
        await query(`truncate ${TABLES.join(', ')}`);
        const records = clicksFor(await insertLinks(database.db, WORKSPACE, 7), 150, seed);
        await getLoader(database.db, [inParts(memoryJournal(records.values()), parts)]).drain();
        await expectExact(records);
      }),
      { numRuns: 8 },
    );
  });

  test('several loaders of one journal, and of several, count each click once', async () => {
    const linkIds = await insertLinks(database.db, WORKSPACE, 20);
    const first = clicksFor(linkIds, 1_500, 1);
    // Uses separate visitors: otherwise the order in which the journals are loaded would decide which click is the
    // first.
    const second = clicksFor(linkIds, 1_500, 2).map((record) => ({ ...record, visitor: -record.visitor }));
    const ids = [newUuid(), newUuid()];
    const loaders = Array.from({ length: 4 }, (_, nth) =>
      getLoader(
        database.db,
        [first, second].map((records, which) =>
          inParts(memoryJournal(records.values(), ids[which]), [40 + nth * 7, 90]),
        ),
      ),
    );
    const until = async (): Promise<boolean> =>
      (await query('select coalesce(sum(position), 0)::int as n from journals'))[0].n === 3_000;
    // A loader that finds a journal locked continues later; each one restarts until all is loaded.
    await Promise.all(
      loaders.map(async (loader) => {
        for (let turns = 0; turns < 2_000 && !(await until()); turns++) await loader.drain();
      }),
    );
    await expectExact([...first, ...second]);
  });

  test('a transaction that ends at any statement leaves nothing, and nothing is lost', async () => {
    const records = clicksFor(await insertLinks(database.db, WORKSPACE, 5), 60, 3);
    const id = newUuid();
    let statements = 0;
    let failAt = 0;
    const pool = openPool({ ...database.connection, max: 2 }, () => {});
    const connect = pool.connect.bind(pool);
    // Every connection fails at one statement of the transaction, as if the server had gone.
    pool.connect = (async (callback?: never) => {
      if (callback) return connect(callback);
      const client = await connect();
      const proxy = Object.create(client) as typeof client;
      proxy.query = ((...args: Parameters<typeof client.query>) => {
        const statement = args[0] as string | { text: string };
        const text = typeof statement === 'string' ? statement : statement.text;
        if (!/^(rollback|begin)/i.test(text) && ++statements === failAt) throw new Error('cut');
        return (client.query as (...all: unknown[]) => unknown)(...args);
      }) as typeof client.query;
      return proxy;
    }) as typeof pool.connect;
    const failing = getLoader(openDatabase(pool), [inParts(memoryJournal(records.values(), id), [20, 40])]);
    let failures = 0;
    for (let at = 1; at <= 60; at++) {
      [statements, failAt] = [0, at];
      try {
        await failing.drain();
        break;
      } catch (error) {
        expect(String(error)).toContain('cut');
        failures++;
      }
    }
    expect(failures).toBeGreaterThan(8);
    await pool.end();
    await expectExact(records);
  });

  test('quarters begin at their minute, and a visitor counts once a day and link', async () => {
    const [link, other] = await insertLinks(database.db, WORKSPACE, 2);
    const midnight = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    const at = (offset: number, more: Partial<ClickRecord> = {}) =>
      one(link!, { at: midnight + offset, ...more });
    const records = [
      ...[-1, 0, 899_999, 900_000, 1_799_999, 1_800_000, 2_699_999, 2_700_000, 3_599_999].map((ms) => at(ms)),
      at(5, { linkId: other! }),
      at(6, { visitor: -1n }),
      at(7, { isBot: true, visitor: 9n }),
    ];
    await getLoader(database.db, [memoryJournal(records.values())]).drain();
    await expectExact(records);
    const day = (await stored())[`${link} d ${new Date(midnight).toISOString()}`]!;
    expect(day.quarters).toEqual({ 0: [3, 1, 2], 1: [2, 0, 0], 2: [2, 0, 0], 3: [2, 0, 0] });
    const [{ quarters }] = await query(
      `select quarters from click_rollups where scope_id = $1 and resolution = 'd' and bucket = $2`,
      [link, new Date(midnight)],
    );
    expect(quarters.filter((_: number, n: number) => n % 4 === 0)).toEqual([0, 1, 2, 3]);
    expect(await query('select unique_clicks from link_counters where link_id = $1', [link])).toEqual([
      { unique_clicks: 3 },
    ]);
  });

  test('beyond a thousand values of a dimension the rest is counted together', async () => {
    const [link] = await insertLinks(database.db, WORKSPACE, 1);
    const value = (n: number) => ['__proto__', 'constructor', OTHER][n] ?? `source ${n}`;
    const records = Array.from({ length: MAX_VALUES + 50 }, (_, n) =>
      one(link!, { utm: [value(n), null, null, null, null] }),
    );
    for (let n = 0; n < 3; n++) records.push(one(link!, { utm: [value(n), null, null, null, null] }));
    await getLoader(database.db, [inParts(memoryJournal(records.values()), [300])]).drain();
    for (const sums of Object.values(await stored())) {
      const counts = new Map(Object.entries(sums.dimensions['utm_source']!));
      expect(counts.size).toBe(MAX_VALUES + 1);
      expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBe(records.length);
      expect(counts.get('__proto__')).toBe(2);
      expect(counts.get('constructor')).toBe(2);
      expect(counts.get(OTHER)).toBe(2 + 49);
    }
  });

  test('what visitors make up is cut and storable', async () => {
    const [link] = await insertLinks(database.db, WORKSPACE, 1);
    const utm = ['a\0b\u001fc\ud800', 'x'.repeat(5_000), '"},{\\', `${'y'.repeat(99)}😀`, ',\n\t'];
    await getLoader(database.db, [memoryJournal([one(link!, { utm }), one(link!)].values())]).drain();
    const [row] = await query('select * from clicks where utm_source is not null');
    expect(row).toMatchObject({
      utm_source: 'a\ufffdb c\ufffd',
      utm_medium: 'x'.repeat(100),
      utm_campaign: '"},{\\',
      utm_term: `${'y'.repeat(99)}\ufffd`,
      utm_content: ',\n\t',
      address: null,
    });
  });

  test('clicks of links that are gone are dropped, and of days that are not kept only summed', async () => {
    const [link] = await insertLinks(database.db, WORKSPACE, 1);
    const old = one(link!, { at: Date.now() - 5 * DAY_MS, visitor: 2n });
    const records = [one(link!), one(newUuid()), one(link!, { workspaceId: newUuid() }), old];
    await getLoader(database.db, [memoryJournal(records.values())], { retentionDays: 4 }).drain();
    expect(await stored()).toEqual(counted([records[0]!, old], everyScope));
    expect(await query('select count(*)::int as n from clicks')).toEqual([{ n: 1 }]);
  });

  test('a domain of the workspace has sums of its own', async () => {
    const [ownLink, deletedLink] = await insertLinks(database.db, WORKSPACE, 2);
    const domain = newUuid();
    await query(
      `insert into domains (workspace_id, id, host, state, token, pending_since, created_at, updated_at) values ($1, $2, 'go.example', 'verified', '', now(), now(), now())`,
      [WORKSPACE, domain],
    );
    await query(`update links set domain = 'go.example' where id = $1`, [ownLink]);
    await query(`update links set domain = 'gone.example' where id = $1`, [deletedLink]);
    const records = [one(ownLink!), one(deletedLink!)];
    await getLoader(database.db, [memoryJournal(records.values())]).drain();
    expect(await stored()).toEqual(
      counted(records, ({ linkId }) => [linkId, WORKSPACE, ...(linkId === ownLink ? [domain] : [])]),
    );
  });

  test('the database away and back: nothing is lost, and the wait is told', async () => {
    const records = clicksFor(await insertLinks(database.db, WORKSPACE, 3), 100, 4);
    const units = getUnits(database.db);
    let away = true;
    const warned: string[] = [];
    const loader = getLoader(database.db, [inParts(memoryJournal(records.values()), [30])], {
      units: {
        read: units.read,
        write: (work) => (away ? Promise.reject(new Error('away')) : units.write(work)),
      },
      log: { warn: (_, message) => void warned.push(message), error: () => {} },
    });
    loader.start();
    await vi.waitFor(() => expect(warned).toHaveLength(1));
    expect(loader.lag()).toBeGreaterThan(60);
    expect(loader.check()).toBe('degraded');
    away = false;
    await vi.waitFor(() => expectExact(records));
    await vi.waitFor(() => expect(loader.check()).toBe('ok'));
    await loader.stop();
  });
});
