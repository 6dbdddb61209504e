/** `POST /api/v1/messages` at 32 connections, against a bare Fastify route that commits the same rows in one statement. */
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

const CONNECTIONS = 32;
const LEAST_RATIO = 0.5;

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

export const messages: Bench = async ({ quick, tell }) => {
  const seconds = quick ? 2 : 8;
  const rounds = quick ? 2 : 5;
  await using folder = await temporaryFolder();
  // What is sent, and what follows events, is measured elsewhere: this server accepts alone.
  const product = await startProduct({
    dataDir: folder.path,
    env: { ROLE: 'api', LOG_LEVEL: 'warn' },
    command: onServerCore(...SERVER),
  });
  const account = await openAccount(product.base);
  const { secret } = await account.createKey();
  const made = await succeeded(
    await account.call('POST', '/instances', { name: 'bench', channel: 'sandbox' }),
  );
  const { id: instance } = (await made.json()) as { id: string };
  await succeeded(await account.call('POST', `/instances/${instance}/connect`, {}));
  const body = {
    instance_id: instance,
    to: 'alice',
    type: 'text',
    text: { body: 'Hi Alice, it is on its way.' },
  };
  const first = await succeeded(await account.call('POST', '/messages', body));
  const { id: message } = (await first.json()) as { id: string };

  const connection = (await runningConnection(folder.path))!;
  const pool = openPool({ ...connection, max: 1 }, () => undefined);
  const rowOf = async (table: string, column: string, id: string) =>
    (await pool.query(`select to_json(t) as row from ${table} t where ${column} = $1`, [id])).rows[0].row;
  const rows = {
    message: await rowOf('messages', 'id', uuidOf('message', message)!),
    queue: await rowOf('send_queue', 'id', uuidOf('message', message)!),
    event: await rowOf('outbox', 'resource_id', message),
  };
  const port = await freePort();
  const bare = await startProduct({
    dataDir: folder.path,
    port,
    command: onServerCore(
      process.execPath,
      'bench/support/bare-messages.ts',
      String(port),
      JSON.stringify(connection),
      JSON.stringify(rows),
    ),
  });
  try {
    const numeric = (base: string): string => base.replace('localhost', '127.0.0.1');
    const ours: Side = {
      name: 'Fairlead',
      url: `${numeric(product.base)}/api/v1/messages`,
      pid: product.pid,
      headers: { authorization: `Bearer ${secret}` },
      body: JSON.stringify(body),
      runs: [],
    };
    const other: Side = {
      ...ours,
      name: 'bare',
      url: `${numeric(bare.base)}/messages`,
      pid: bare.pid,
      runs: [],
    };
    const sides = [ours, other];
    for (const side of sides) await measure({ ...side, runs: [] }, quick ? 1 : 5);
    for (let round = 0; round < rounds; round++) {
      for (const side of round % 2 ? sides.toReversed() : sides) await measure(side, seconds);
      tell(
        `messages, round ${round + 1}: ${sides.map(({ runs }) => runs.at(-1)!.requestsPerSecond.toFixed(0)).join(' / ')}`,
      );
    }
    // What was answered is there, in an unbroken row of numbers.
    const [{ count, last }] = (
      await pool.query(
        `select count(*)::int as count, max(sequence)::int as last from messages where sequence < 1000000`,
      )
    ).rows;
    if (count !== last) throw new Error(`${count} messages, numbered to ${last}`);
    const answered = ours.runs.reduce((sum, { requests }) => sum + requests, 0);
    if (count < answered) throw new Error(`${answered} answers, ${count} messages`);
    const ratios = ours.runs.map((run, nth) => run.requestsPerSecond / other.runs[nth]!.requestsPerSecond);
    const ratio = median(ratios);
    return {
      title: '`POST /api/v1/messages` with an API key',
      method: `${CONNECTIONS} connections send texts from one instance to one contact, ${rounds} runs of ${seconds} s for each after a warm-up, alternated; medians; every status asserted, and that each message stands in the database; ${WHERE}, the database with the server. The server has \`ROLE=api\`: it accepts, and sends nothing. The counterpart is a bare Fastify route with the same response schema on the same database, which commits the same rows (message, queue, event) in one statement each, checks nothing and shares no lock. CPU is that of the server process, without the database's. The machine's load average was ${loadavg()[0]!.toFixed(1)} at the end, other work included.`,
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
