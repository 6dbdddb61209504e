/** `POST /api/v1/links` at 50 connections, against a bare Fastify route that commits the same rows in one statement. */
import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { openAccount, succeeded } from '../../test/support/account.ts';
import { cpuOf } from '../../test/support/processes.ts';
import { freePort, SERVER, startProduct } from '../../test/support/product.ts';
import { openPool } from '../../src/db/database.ts';
import { runningConnection } from '../../src/db/embedded/embedded.ts';
import { uuidOf } from '../../src/http/ids.ts';
import { temporaryFolder } from '../../src/testing/temporary-folder.ts';
import { onServerCore, WHERE } from '../support/cores.ts';
import { type Bench, median } from '../support/figure.ts';
import { load, type LoadResult } from '../support/load.ts';

const CONNECTIONS = 50;
const LEAST_RATIO = 0.4;

interface Side {
  name: string;
  url: string;
  pid: number;
  headers: Record<string, string>;
  body: string;
  runs: (LoadResult & { cpuMicroseconds: number })[];
}

async function measure({ url, pid, headers, body, runs }: Side, seconds: number): Promise<void> {
  const before = cpuOf([pid]);
  const result = await load({ url, headers, body, connections: CONNECTIONS, seconds });
  runs.push({ ...result, cpuMicroseconds: ((cpuOf([pid]) - before) * 1000) / result.requests });
  await delay(200);
}

const of = ({ runs }: Side, key: keyof Side['runs'][number]): number => median(runs.map((run) => run[key]));
const row = (side: Side): string[] => [
  side.name,
  of(side, 'requestsPerSecond').toFixed(0),
  of(side, 'cpuMicroseconds').toFixed(0),
  of(side, 'p50').toFixed(1),
  of(side, 'p99').toFixed(1),
];

export const links: Bench = async ({ quick, tell }) => {
  const seconds = quick ? 2 : 8;
  const rounds = quick ? 2 : 5;
  await using folder = await temporaryFolder();
  // What follows events, and redirects, is measured elsewhere.
  const product = await startProduct({
    dataDir: folder.path,
    env: { ROLE: 'api', LOG_LEVEL: 'warn' },
    command: onServerCore(...SERVER),
  });
  const account = await openAccount(product.base);
  const { secret } = await account.createKey();
  const body = { url: 'https://example.com/spring?ref=mail' };
  const first = await succeeded(await account.call('POST', '/links', body));
  const { id: link } = (await first.json()) as { id: string };

  const connection = (await runningConnection(folder.path))!;
  const pool = openPool({ ...connection, max: 1 }, () => undefined);
  const rowOf = async (table: string, where: string, value: string) =>
    (await pool.query(`select to_json(t) as row from ${table} t where ${where} = $1 limit 1`, [value]))
      .rows[0].row;
  const id = uuidOf('link', link)!;
  const made = await rowOf('links', 'id', id);
  const rows = {
    links: made,
    link_routes: await rowOf('link_routes', 'link_id', id),
    link_counters: await rowOf('link_counters', 'link_id', id),
    route_changes: await rowOf('route_changes', 'slug', made.slug),
    outbox: await rowOf('outbox', 'resource_id', link),
  };
  const port = await freePort();
  const bare = await startProduct({
    dataDir: folder.path,
    port,
    command: onServerCore(
      process.execPath,
      'bench/support/bare-links.ts',
      String(port),
      JSON.stringify(connection),
      JSON.stringify(rows),
    ),
  });
  try {
    const numeric = (base: string): string => base.replace('localhost', '127.0.0.1');
    const ours: Side = {
      name: 'Fairlead',
      url: `${numeric(product.base)}/api/v1/links`,
      pid: product.pid,
      headers: { authorization: `Bearer ${secret}` },
      body: JSON.stringify(body),
      runs: [],
    };
    const other: Side = {
      ...ours,
      name: 'bare',
      url: `${numeric(bare.base)}/links`,
      pid: bare.pid,
      runs: [],
    };
    const sides = [ours, other];
    for (const side of sides) await measure({ ...side, runs: [] }, quick ? 1 : 5);
    for (let round = 0; round < rounds; round++) {
      for (const side of round % 2 ? sides.toReversed() : sides) await measure(side, seconds);
      tell(
        `links, round ${round + 1}: ${sides.map(({ runs }) => runs.at(-1)!.requestsPerSecond.toFixed(0)).join(' / ')}`,
      );
    }
    // What was answered is there, whole.
    const [counted] = (
      await pool.query(`
        select (select count(*)::int from links) as links, (select count(*)::int from link_routes) as routes,
          (select count(*)::int from link_counters) as counters, (select count(*)::int from route_changes) as changes,
          (select count(*)::int from outbox where type = 'link.created') as events
      `)
    ).rows;
    if (new Set(Object.values(counted)).size !== 1)
      throw new Error(`links are not whole: ${JSON.stringify(counted)}`);
    const answered = sides.flatMap(({ runs }) => runs).reduce((sum, { requests }) => sum + requests, 0);
    if (counted.links < answered) throw new Error(`${answered} answers, ${counted.links} links`);
    const ratios = ours.runs.map((run, nth) => run.requestsPerSecond / other.runs[nth]!.requestsPerSecond);
    const ratio = median(ratios);
    return {
      title: '`POST /api/v1/links` with an API key',
      method: `${CONNECTIONS} connections make links whose slugs are made, ${rounds} runs of ${seconds} s for each after a warm-up, alternated; medians; every status asserted, and that each link stands in the database with all its rows; ${WHERE}, the database with the server. The server has \`ROLE=api\`. The counterpart is a bare Fastify route with the same response schema on the same database, which commits the same rows (link, address, counters, what nodes are told, event) in one statement each, and checks nothing. CPU is that of the server process, without the database's. The machine's load average was ${loadavg()[0]!.toFixed(1)} at the end, other work included.`,
      columns: ['', 'requests/s', 'CPU µs/request', 'p50 ms', 'p99 ms'],
      rows: sides.map(row),
      targets: [
        {
          text: `${ratio.toFixed(2)} of the rate of the bare route (runs: ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}); at least ${LEAST_RATIO} is asked.`,
          met: ratio >= LEAST_RATIO,
        },
      ],
    };
  } finally {
    await pool.end();
    await bare.kill();
    await product.stop();
  }
};
