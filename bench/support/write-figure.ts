/** How fast something is made over the API, beside a bare Fastify route that commits the same rows in one statement. */
import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { type Account, openAccount, succeeded } from '../../test/support/account.ts';
import { getCpu } from '../../test/support/processes.ts';
import { freePort, SERVER, startProduct } from '../../test/support/product.ts';
import { openPool } from '../../src/platform/db/database.ts';
import { runningConnection } from '../../src/platform/embedded-postgres/embedded.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { onServerCore, WHERE } from './cores.ts';
import { type Bench, median } from './figure.ts';
import { load, type LoadResult } from './load.ts';

/** One row of a table, as JSON. */
export type RowOf = (table: string, column: string, value: unknown) => Promise<Record<string, unknown>>;

export interface WriteBench {
  /** The path behind /api/v1, and that of the bare route: `/links`. */
  path: string;
  /** The product's, where `prepare` decides it; the bare route has `path` then. */
  pathOfProduct?(): string;
  connections: number;
  /** Of the bare route's rate. */
  leastRatio: number;
  /** What the connections do, and with what server, in a sentence or two. */
  what: string;
  /** What the bare route does, as the end of a sentence. */
  counterpart: string;
  /** The program of the bare route: `<port> <connection JSON> <rows JSON>`. */
  bareProgram: string;
  /** Readies the account. @returns the body that all send */
  prepare(account: Account): Promise<object>;
  /** @param first what the first request was answered. @returns what the bare route commits copies of */
  rows(first: { id: string }, toRow: RowOf): Promise<Record<string, unknown>>;
  /** That what was answered is there. @param answered by the product, and by both. @throws Error */
  verify(pool: Pool, answered: { product: number; both: number }): Promise<void>;
}

interface Side {
  name: string;
  url: string;
  pid: number;
  headers: Record<string, string>;
  body: string;
  connections: number;
  runs: (LoadResult & { cpuMicroseconds: number })[];
}

async function measure({ url, pid, headers, body, connections, runs }: Side, seconds: number): Promise<void> {
  const before = getCpu([pid]);
  const result = await load({ url, headers, body, connections, seconds });
  runs.push({ ...result, cpuMicroseconds: ((getCpu([pid]) - before) * 1000) / result.requests });
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
const answered = (sides: readonly Side[]): number =>
  sides.flatMap(({ runs }) => runs).reduce((sum, { requests }) => sum + requests, 0);
const numeric = (base: string): string => base.replace('localhost', '127.0.0.1');

export const writeFigure =
  (bench: WriteBench): Bench =>
  async ({ quick, report }) => {
    const { path, connections, leastRatio } = bench;
    const seconds = quick ? 1 : 8;
    const rounds = quick ? 1 : 5;
    await using folder = await temporaryFolder();
    // What follows events, is sent, or redirects, is measured elsewhere.
    const product = await startProduct({
      dataDir: folder.path,
      env: { ROLE: 'api', LOG_LEVEL: 'warn' },
      command: onServerCore(...SERVER),
    });
    const account = await openAccount(product.base);
    const { secret } = await account.createKey();
    const body = await bench.prepare(account);
    const own = bench.pathOfProduct?.() ?? path;
    const first = await (await succeeded(await account.call('POST', own, body))).json();

    const connection = (await runningConnection(folder.path))!;
    const pool = openPool({ ...connection, max: 1 }, () => undefined);
    const toRow: RowOf = async (table, column, value) =>
      (await pool.query(`select to_json(t) as row from ${table} t where ${column} = $1 limit 1`, [value]))
        .rows[0].row;
    const rows = await bench.rows(first as { id: string }, toRow);
    const port = await freePort();
    const given = [String(port), JSON.stringify(connection), JSON.stringify(rows)];
    const bare = await startProduct({
      dataDir: folder.path,
      port,
      command: onServerCore(process.execPath, bench.bareProgram, ...given),
    });
    try {
      const ours: Side = {
        name: 'Fairlead',
        url: `${numeric(product.base)}/api/v1${own}`,
        pid: product.pid,
        headers: { authorization: `Bearer ${secret}` },
        body: JSON.stringify(body),
        connections,
        runs: [],
      };
      const other: Side = {
        ...ours,
        name: 'bare',
        url: `${numeric(bare.base)}${path}`,
        pid: bare.pid,
        runs: [],
      };
      const sides = [ours, other];
      if (!quick) for (const side of sides) await measure({ ...side, runs: [] }, 5);
      for (let round = 0; round < rounds; round++) {
        for (const side of round % 2 ? sides.toReversed() : sides) await measure(side, seconds);
        const rates = sides.map(({ runs }) => runs.at(-1)!.requestsPerSecond.toFixed(0));
        report(`${path}, round ${round + 1}: ${rates.join(' / ')}`);
      }
      await bench.verify(pool, { product: answered([ours]), both: answered(sides) });
      const ratios = ours.runs.map((run, nth) => run.requestsPerSecond / other.runs[nth]!.requestsPerSecond);
      const ratio = median(ratios);
      return {
        title: `\`POST /api/v1${path}\` with an API key`,
        method: `${connections} connections ${bench.what}, ${rounds} runs of ${seconds} s for each after a warm-up, alternated; medians; every status asserted, and the responses are checked against the database; ${WHERE}, the database on the server's core. The server has \`ROLE=api\`. The counterpart is a bare Fastify route with the same response schema on the same database, which ${bench.counterpart}. CPU is that of the server process, without the database's. The machine's load average was ${loadavg()[0]!.toFixed(1)} at the end, including other work.`,
        columns: ['', 'requests/s', 'CPU µs/request', 'p50 ms', 'p99 ms'],
        rows: sides.map(row),
        targets: [
          {
            text: `${ratio.toFixed(2)} of the rate of the bare route (runs: ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}) (target: at least ${leastRatio}).`,
            met: ratio >= leastRatio,
          },
        ],
      };
    } finally {
      await pool.end();
      await bare.kill();
      await product.stop();
    }
  };
