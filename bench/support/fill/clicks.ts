/**
 * Clicks: most of them over the days before, in journals that are written as a process writes its own and left to the
 * server, which adopts and loads them; some by real redirects.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { Pool } from 'undici';
import { generateClicks, makePastDays } from '../../../test/support/click-load.ts';
import { DAY_MS } from '../../../src/platform/db/partitions.ts';
import { clickIds } from '../../../src/surfaces/links/clicks/click-codec.ts';
import type { ClickIds } from '../../../src/surfaces/links/clicks/click-record.ts';
import { createClickJournal } from '../../../src/surfaces/links/clicks/click-journal.ts';
import { type FillWorld, inLanes, type Place, portion } from './fill-world.ts';

const DAYS = 60;
/** Of all clicks, those that are real redirects. */
const FOLLOWED = 0.03;
/** Clicks that wait for their journal together. */
const AT_ONCE = 2_000;
const LANES = 8;
const PIPELINED = 16;
const MAX_TRIES = 40;
const AGAIN_AFTER_MS = 250;

const never = (details: object, message: string): never => {
  throw new Error(message, { cause: details });
};

async function writeJournal(
  world: FillWorld,
  place: Place,
  linkIds: readonly string[],
  count: number,
): Promise<void> {
  const until = new Date();
  const from = new Date(until.getTime() - DAYS * DAY_MS);
  const journal = await createClickJournal({
    dataDir: world.dataDir,
    sync: 'write',
    log: { warn: never, error: never },
    registry: new Registry(),
  });
  const known = new Map<string, ClickIds>();
  const getIds = (linkId: string): ClickIds => {
    let ids = known.get(linkId);
    if (!ids) known.set(linkId, (ids = clickIds(place.uuid, linkId)));
    return ids;
  };
  let waiting: Promise<void>[] = [];
  for (const { linkId, workspaceId: _, ...click } of generateClicks({
    count,
    workspaceId: place.uuid,
    linkIds,
    from,
    until,
    seed: world.seed,
  })) {
    const ids = getIds(linkId);
    waiting.push(
      new Promise((resolve, reject) =>
        journal.append({ ...click, ids }, (error) => (error ? reject(error) : resolve())),
      ),
    );
    if (waiting.length >= AT_ONCE) {
      await Promise.all(waiting);
      waiting = [];
    }
  }
  await Promise.all(waiting);
  await journal.close();
}

/** Follows links of a place, round about. */
async function follow({ base }: FillWorld, slugs: readonly string[], count: number): Promise<void> {
  const pool = new Pool(base, { connections: LANES, pipelining: PIPELINED });
  const headers = {
    'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    'accept-language': 'de-DE,de;q=0.9',
    referer: 'https://news.example.org/today',
  };
  const visits = Array.from({ length: count }, (_, n) => slugs[n % slugs.length]!);
  await inLanes(LANES * PIPELINED, visits, async (slug) => {
    for (let tries = 1; ; tries++) {
      const { statusCode, body } = await pool.request({
        path: `/${encodeURIComponent(slug)}`,
        method: 'GET',
        headers,
      });
      await body.dump();
      if (statusCode === 302) return;
      // A machine that is busy with other things tells the first visitors of a link to come again.
      if (statusCode !== 503 || tries === MAX_TRIES) throw new Error(`/${slug} was answered ${statusCode}`);
      await delay(AGAIN_AFTER_MS);
    }
  });
  await pool.close();
}

/** @param links of each place, the most clicked first */
export async function fillClicks(
  world: FillWorld,
  links: ReadonlyMap<Place, string[]>,
  total: number,
): Promise<void> {
  const { pool, places } = world;
  const { rows } = await pool.query(
    'select coalesce(sum(clicks + bot_clicks), 0)::bigint as sum from link_counters',
  );
  await makePastDays(world.db, new Date(Date.now() - DAYS * DAY_MS), new Date());
  let made = 0;
  for (const place of places) {
    const count = portion(total, place);
    const followed = Math.floor(count * FOLLOWED);
    const { rows: some } = await pool.query<{ slug: string }>(
      `select slug from links where workspace_id = $1 and archived_at is null and password_hash is null
         and max_clicks is null and domain = '' order by id limit 500`,
      [place.uuid],
    );
    await writeJournal(world, place, links.get(place)!, count - followed);
    await follow(
      world,
      some.map(({ slug }) => slug),
      followed,
    );
    made += count;
  }
  const wanted = Number(rows[0].sum) + made;
  await world.drained(
    'clicks that are not counted',
    `select greatest(0, ${wanted} - coalesce(sum(clicks + bot_clicks), 0)) from link_counters`,
  );
}
