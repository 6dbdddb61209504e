/**
 * Clicks by the million, as they would come: Zipf over links, over days, from mixed countries, agents and pages, a few
 * of them bots. The same for the same seed. And what brings them into a database without a redirect: a journal in
 * memory, and a loader that runs until it is empty.
 */
import { sql } from 'kysely';
import type { Database } from '../../src/platform/db/database.ts';
import { DAY_MS, makeAhead } from '../../src/platform/db/partitions.ts';
import { createUnits, type Units } from '../../src/core/unit/unit-of-work.ts';
import { firstUuidAt } from '../../src/platform/db/uuid-time.ts';
import { createEventWriter } from '../../src/core/unit/event-writer.ts';
import { newUuid } from '../../src/platform/http/ids.ts';
import type { ClickRecord } from '../../src/surfaces/links/clicks/click-record.ts';
import type { JournalSource } from '../../src/platform/journal/journal-source.ts';
import { createClickLoader, type ClickLoaderOptions } from '../../src/surfaces/links/clicks/click-loader.ts';

/** A number from 0 to 1, the same sequence for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Picks 0 to `count` - 1, the first most often. */
function zipf(count: number, random: () => number, exponent = 1): () => number {
  const sums = new Float64Array(count);
  let sum = 0;
  for (let n = 0; n < count; n++) sums[n] = sum += 1 / (n + 1) ** exponent;
  return () => {
    const wanted = random() * sum;
    let [low, high] = [0, count - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle]! < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

const COUNTRIES =
  'US IN DE BR GB FR JP ID MX CA ES IT NL PL AU KR TR SE CH AT BE PT DK NO FI CZ IE NZ ZA AR'.split(' ');
const LANGUAGES = 'en hi de pt fr ja id es it nl pl ko tr sv da nb fi cs'.split(' ');
const SYSTEMS = [
  (n: number) =>
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${n}.0.0.0 Safari/537.36`,
  (n: number) =>
    `Mozilla/5.0 (iPhone; CPU iPhone OS ${n % 19}_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/${n % 19}.1 Mobile/15E148 Safari/604.1`,
  (n: number) =>
    `Mozilla/5.0 (Linux; Android 14; Pixel ${n % 9}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${n}.0.0.0 Mobile Safari/537.36`,
  (n: number) =>
    `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_${n % 8}) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.${n % 10} Safari/605.1.15`,
  (n: number) => `Mozilla/5.0 (X11; Linux x86_64; rv:${n}.0) Gecko/20100101 Firefox/${n}.0`,
];
const BOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

export interface ClickLoad {
  count: number;
  workspaceId: string;
  linkIds: readonly string[];
  /** The first and the last of them; evenly between. */
  from: Date;
  until: Date;
  seed?: number;
}

/** The clicks in the order of their times. */
export function* generateClicks(load: ClickLoad): Generator<ClickRecord> {
  const { count, workspaceId, linkIds, from, until } = load;
  const random = seeded(load.seed ?? 1);
  const link = zipf(linkIds.length, random);
  const country = zipf(COUNTRIES.length, random);
  const city = zipf(40, random);
  const agent = zipf(200, random);
  const page = zipf(300, random);
  const person = zipf(Math.max(100, Math.round(count / 4)), random, 0.6);
  const step = (until.getTime() - from.getTime()) / count;
  for (let n = 0; n < count; n++) {
    const at = Math.floor(from.getTime() + n * step);
    const isBot = random() < 0.08;
    const whose = person();
    const land = COUNTRIES[country()]!;
    const campaign = random() < 0.3 ? `campaign-${Math.floor(random() * 20)}` : null;
    const look = agent();
    yield {
      at,
      workspaceId,
      linkId: linkIds[link()]!,
      visitor: BigInt(whose) * 0x9e3779b1n + BigInt(Math.floor(at / DAY_MS)),
      isBot,
      country: land,
      city: random() < 0.7 ? `City ${city()} of ${land}` : null,
      userAgent: isBot ? BOT : SYSTEMS[look % SYSTEMS.length]!(80 + Math.floor(look / SYSTEMS.length)),
      referrer: random() < 0.6 ? `site-${page()}.example` : null,
      language: LANGUAGES[Math.floor(random() * LANGUAGES.length)]!,
      utm: campaign ? ['newsletter', 'email', campaign, null, null] : [null, null, null, null, null],
      address: null,
      destinationUrl: look % 3 === 0 ? `https://example.com/${whose % 5}` : null,
    };
  }
}

/** A journal of clicks that come one after the other; a position is their number. Bytes are taken for 200 a click. */
export function memoryJournal(clicks: Iterator<ClickRecord>, id = newUuid()): JournalSource<ClickRecord> {
  let kept: ClickRecord[] = [];
  let first = 0;
  return {
    id,
    isLive: true,
    async read(segment, position, maxBytes) {
      if (position < first) throw new Error('a journal is not read backwards');
      // Others may have loaded it further than was read here.
      while (first + kept.length < position && !clicks.next().done) first++;
      kept = kept.slice(position - first);
      first = position;
      const wanted = Math.max(1, Math.floor(maxBytes / 200));
      let atEnd = false;
      while (kept.length < wanted) {
        const next = clicks.next();
        if ((atEnd = next.done === true)) break;
        kept.push(next.value);
      }
      const part = kept.slice(0, wanted);
      return { records: part, segment, position: position + part.length, atEnd };
    },
    async loadedThrough() {},
  };
}

/** Links of the default domain with their counters, made in the database alone. @returns their IDs */
export async function insertLinks(db: Database, workspaceId: string, count: number): Promise<string[]> {
  const first = firstUuidAt(new Date('2026-01-01T00:00:00Z')).slice(0, 14);
  const ids = Array.from(
    { length: count },
    (_, n) => `${first}7000-8000-${n.toString(16).padStart(12, '0')}`,
  );
  for (let from = 0; from < count; from += 10_000) {
    const part = ids.slice(from, from + 10_000);
    await sql`
      with made as (
        insert into links (workspace_id, id, domain, slug, url, fingerprint, words, created_at, updated_at)
        select ${workspaceId}, id, '', 'link-' || right(id::text, 12), 'https://example.com/' || right(id::text, 12), '\\x00', to_tsvector('simple', 'example.com ' || right(id::text, 12)), now(), now()
        from unnest(${part}::uuid[]) id returning id
      )
      insert into link_counters (workspace_id, link_id) select ${workspaceId}, id from made
    `.execute(db);
  }
  return ids;
}

/** Partitions for clicks of past days. */
export async function makePastDays(db: Database, from: Date, until: Date): Promise<void> {
  const days = Math.ceil((until.getTime() - from.getTime()) / DAY_MS) + 1;
  for (const table of ['clicks', 'link_visitors']) await makeAhead(db, table, days, from);
}

/** Units that write events and enqueue nothing. */
export const getUnits = (db: Database): Units =>
  createUnits({ db, events: createEventWriter(() => {}), jobs: { enqueue: async () => {} } });

/** A loader of these journals, for whose events nobody asks. */
export const getLoader = (
  db: Database,
  sources: JournalSource<ClickRecord>[],
  more: Partial<ClickLoaderOptions> = {},
) =>
  createClickLoader({
    units: getUnits(db),
    log: { warn: () => {}, error: (details, message) => console.error(message, details) },
    sources: () => sources,
    interestedWorkspaces: async () => new Set(),
    describeLinks: async () => new Map(),
    retentionDays: 90,
    ...more,
  });

/**
 * `count` clicks over `links` links and the days before `until`, all loaded: what benchmarks of queries begin with.
 * @returns the IDs of the links, the most clicked first
 */
export async function loadClickWorld(
  db: Database,
  options: { workspaceId: string; links: number; count: number; days: number; until: Date; seed?: number },
): Promise<string[]> {
  const { workspaceId, count, until } = options;
  const from = new Date(until.getTime() - options.days * DAY_MS);
  const linkIds = await insertLinks(db, workspaceId, options.links);
  await makePastDays(db, from, until);
  const clicks = generateClicks({ count, workspaceId, linkIds, from, until, seed: options.seed });
  await getLoader(db, [memoryJournal(clicks)]).drain();
  await sql`vacuum analyze clicks, click_rollups, link_counters, link_visitors, links`.execute(db);
  return linkIds;
}

/**
 * Makes `times` as many clicks of those that a workspace has, by SQL alone: others beside each, in the same quarter of
 * an hour and by other visitors, with the counters and roll-ups that the loader would have made of them. Who visited
 * (`link_visitors`), which no query reads, is left alone.
 */
export async function multiplyClicks(db: Database, workspaceId: string, times: number): Promise<void> {
  // Millions of rows go faster without the index than into it.
  await sql`alter table clicks drop constraint clicks_pkey`.execute(db);
  await sql`
    insert into clicks (workspace_id, link_id, id, visitor, bot, country, city, device, os, browser, referrer, language,
      utm_source, utm_medium, utm_campaign, utm_term, utm_content, address, destination_url)
    select workspace_id, link_id,
      (left(id::text, 24) || lpad(to_hex(floor(random() * 281474976710656)::bigint), 12, '0'))::uuid,
      floor(random() * 4611686018427387904)::bigint, bot, country, city, device, os, browser, referrer, language,
      utm_source, utm_medium, utm_campaign, utm_term, utm_content, address, destination_url
    from clicks cross join generate_series(1, ${times - 1}::int) where workspace_id = ${workspaceId}
  `.execute(db);
  await sql`alter table clicks add primary key (workspace_id, link_id, id)`.execute(db);
  await sql`
    update click_rollups set clicks = clicks * ${times}::int, bots = bots * ${times}::int, uniques = uniques * ${times}::int,
      quarters = (
        select array_agg(case when n % 4 = 1 then q else q * ${times}::int end order by n)
        from unnest(quarters) with ordinality u (q, n)
      ),
      dimensions = coalesce((
        select jsonb_agg(case jsonb_typeof(d) when 'object' then (
          select jsonb_object_agg(key, value::int * ${times}::int) from jsonb_each_text(d)
        ) else d end order by n)
        from jsonb_array_elements(dimensions) with ordinality e (d, n)
      ), '[]')
    where workspace_id = ${workspaceId}
  `.execute(db);
  await sql`
    update link_counters set clicks = clicks * ${times}::int, unique_clicks = unique_clicks * ${times}::int,
      bot_clicks = bot_clicks * ${times}::int
    where workspace_id = ${workspaceId}
  `.execute(db);
  await sql`vacuum analyze clicks, click_rollups, link_counters`.execute(db);
}
