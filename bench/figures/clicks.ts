/** Clicks from a journal in memory into the database: how fast, what share of the process, and what each takes there. */
import { sql } from 'kysely';
import { loadavg } from 'node:os';
import type { Database } from '../../src/platform/db/database.ts';
import { DAY_MS } from '../../src/platform/db/partitions.ts';
import { createTestDatabase } from '../../test/support/db.ts';
import { newUuid } from '../../src/platform/http/ids.ts';
import setup from '../../test/global-setup.ts';
import {
  generateClicks,
  insertLinks,
  getLoader,
  makePastDays,
  memoryJournal,
} from '../../test/support/click-load.ts';
import type { Bench } from '../support/figure.ts';

const DAYS = 30;
const TABLES = ['clicks', 'click_rollups', 'link_visitors', 'link_counters'] as const;
/** Whatever is loaded by then is what is told. */
const MAX_MS = 10 * 60_000;

/** Bytes of a table with its indexes and partitions. */
async function toBytes(db: Database, table: string): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(pg_total_relation_size(relid)), pg_total_relation_size(${table}::regclass))::bigint as bytes
    from pg_partition_tree(${table}::regclass)
  `.execute(db);
  return rows[0]!.bytes;
}

interface Run {
  count: number;
  seconds: number;
  cpuMicros: number;
  bytes: Record<string, number>;
  load: number;
}

async function load(count: number, links: number, report: (line: string) => void): Promise<Run> {
  const test = await createTestDatabase();
  try {
    const { db } = test;
    const workspaceId = newUuid();
    const until = new Date();
    const from = new Date(until.getTime() - DAYS * DAY_MS);
    const linkIds = await insertLinks(db, workspaceId, links);
    await makePastDays(db, from, until);
    await sql`vacuum analyze links, link_counters`.execute(db);
    const before = { bytes: new Map<string, number>() };
    for (const table of TABLES) before.bytes.set(table, await toBytes(db, table));
    const clicks = generateClicks({ count, workspaceId, linkIds, from, until });
    // Making them costs the process, too: it is measured, and taken off.
    const spare = generateClicks({ count: 100_000, workspaceId, linkIds, from, until });
    const getCpu = (used: NodeJS.CpuUsage): number => used.user + used.system;
    let mark = process.cpuUsage();
    for (const _ of spare);
    const making = getCpu(process.cpuUsage(mark)) / 100_000;

    const source = memoryJournal(clicks);
    let told = performance.now();
    const began = performance.now();
    const loader = getLoader(db, [
      {
        ...source,
        async read(segment, position, maxBytes) {
          if (performance.now() - told > 30_000) {
            told = performance.now();
            report(
              `${position} of ${count} clicks, ${Math.round((position * 1000) / (told - began))} a second`,
            );
          }
          if (performance.now() - began > MAX_MS) return { records: [], segment, position, atEnd: true };
          return source.read(segment, position, maxBytes);
        },
      },
    ]);
    mark = process.cpuUsage();
    await loader.drain();
    const seconds = (performance.now() - began) / 1000;
    const cpu = getCpu(process.cpuUsage(mark));
    const { rows } = await sql<{ position: number }>`select position from journals`.execute(db);
    const loaded = rows[0]!.position;
    const cpuMicros = cpu / loaded - making;
    const stored = await sql<{
      n: number;
    }>`select sum(clicks + bot_clicks)::bigint as n from link_counters`.execute(db);
    if (stored.rows[0]!.n !== loaded) throw new Error(`${stored.rows[0]!.n} clicks are counted of ${loaded}`);
    await sql`vacuum clicks, click_rollups, link_visitors, link_counters`.execute(db);
    const bytes: Record<string, number> = {};
    for (const table of TABLES)
      bytes[table] = ((await toBytes(db, table)) - before.bytes.get(table)!) / loaded;
    return { count: loaded, seconds, cpuMicros, bytes, load: loadavg()[0]! };
  } finally {
    await test.drop();
  }
}

export const clicks: Bench = async ({ quick, report }) => {
  const teardown = await setup();
  try {
    const runs: Run[] = [];
    for (const [count, links] of quick ? [[5_000, 500] as const] : [[1e6, 1e5] as const, [1e7, 1e5] as const])
      runs.push(await load(count, links, report));
    return {
      title: 'Clicks loaded',
      method:
        `Clicks over ${DAYS} days in the order of their times, Zipf over 100,000 links of one workspace, from 30 countries, 200 agents and 300 pages, 8 % of them bots, from a journal in memory ` +
        `through one loader that is never paused: rows, visitors, counters, roll-ups of link, domain and workspace by hour and day, and the position, one transaction per batch. Ends after 10 minutes with the clicks loaded by then; the counters must equal that number. ` +
        `CPU is that of the loading process, without the database's; bytes are those of tables and indexes after a vacuum, per click: clicks are dropped after 90 days, visitors after 3. Load is the machine's load average at the end, including other work.`,
      columns: [
        'clicks',
        'clicks/s',
        'CPU µs/click',
        ...TABLES.map((table) => `${table} B`),
        'all B',
        'load',
      ],
      rows: runs.map(({ count, seconds, cpuMicros, bytes, load: at }) => [
        count.toLocaleString('en'),
        Math.round(count / seconds),
        cpuMicros.toFixed(1),
        ...TABLES.map((table) => Math.round(bytes[table]!)),
        Math.round(TABLES.reduce((sum, table) => sum + bytes[table]!, 0)),
        at.toFixed(1),
      ]),
      targets: [],
    };
  } finally {
    await teardown();
  }
};
