/**
 * The whole product killed again and again at random instants (server, PostgreSQL server, or both; now and then while
 * it still starts) while callers create API keys through HTTP. Each caller sends a call again under the same
 * Idempotency-Key until it has its 201.
 *
 * What must hold: whatever was acknowledged is there after every kill, once, with its one event; every start succeeds;
 * no process is left over; fsync is on.
 */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { runningConnection } from '../../src/db/embedded/embedded.ts';
import { leftOver, postmasterOf } from '../../src/db/embedded/testing/harness.ts';
import { uuidOf } from '../../src/http/ids.ts';
import { openAccount } from './account.ts';
import { freePort, type Product, startProduct } from './product.ts';

const VICTIMS = ['server', 'postmaster', 'both'] as const;
const WRITERS = 4;
/** Longest time from a ready server to its kill. */
const LONGEST_MS = 600;
/** Longest time that a start is left before it is killed; it takes about this. */
const STARTING_MS = 400;
/** A server whose database was killed must serve again within this. */
const AGAIN_WITHIN_MS = 15_000;

export interface CrashReport {
  kills: Record<(typeof VICTIMS)[number] | 'start', number>;
  acknowledged: number;
  /** Calls that were sent again after a kill and then acknowledged. */
  resent: number;
  lost: number;
  /** Keys that a call made twice. */
  doubled: number;
  /** Acknowledged keys without exactly one event, and gaps in the workspace's sequence. */
  eventFaults: number;
  failedStarts: number;
  leftOver: string[];
  fsync: string;
  /** Milliseconds to /readyz of each start after a kill. */
  starts: number[];
  /** Answers that were neither a success nor a refusal to be expected while the database is away. */
  strange: string[];
}

async function query<T extends pg.QueryResultRow>(dataDir: string, text: string): Promise<T[]> {
  const client = new pg.Client((await runningConnection(dataDir))!);
  await client.connect();
  try {
    return (await client.query<T>(text)).rows;
  } finally {
    await client.end();
  }
}

/** Writers that go on until stopped, over any number of crashes. */
function startWriters(base: string, secret: string, report: CrashReport) {
  const acknowledged = new Map<string, string>();
  let writing = true;
  let count = 0;
  const create = async (name: string): Promise<void> => {
    for (let tries = 0; writing; tries += 1) {
      const answer = await fetch(`${base}/api/v1/api-keys`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${secret}`,
          'content-type': 'application/json',
          'idempotency-key': name,
        },
        body: JSON.stringify({ name, scopes: ['models:read'] }),
        signal: AbortSignal.timeout(20_000),
      }).then(
        async (response) => ({ status: response.status, body: (await response.json()) as { id: string } }),
        () => null, // the connection broke: whether it was done, the next try tells
      );
      if (answer?.status === 201) {
        acknowledged.set(name, answer.body.id);
        if (tries) report.resent += 1;
        return;
      }
      // 503: no database now; 409: the first try still runs.
      if (answer && ![503, 409].includes(answer.status))
        report.strange.push(`${answer.status} ${JSON.stringify(answer.body)}`);
      await delay(20);
    }
  };
  const running = Promise.all(
    Array.from({ length: WRITERS }, async () => {
      while (writing) await create(`row ${(count += 1)}`);
    }),
  );
  return {
    acknowledged,
    async stop() {
      writing = false;
      await running;
    },
  };
}

async function compare(
  dataDir: string,
  acknowledged: Map<string, string>,
  report: CrashReport,
): Promise<void> {
  const expected = [...acknowledged];
  const rows = await query<{ id: string; name: string }>(
    dataDir,
    `select id, name from api_keys where name like 'row %'`,
  );
  const ids = new Set(rows.map(({ id }) => id));
  report.acknowledged = expected.length;
  report.lost = Math.max(report.lost, expected.filter(([, id]) => !ids.has(uuidOf('api_key', id)!)).length);
  report.doubled = rows.length - new Set(rows.map(({ name }) => name)).size;
}

/** Waits until the outbox is empty, then looks at the log. */
async function compareEvents(dataDir: string, acknowledged: Map<string, string>): Promise<number> {
  const deadline = performance.now() + AGAIN_WITHIN_MS;
  while ((await query(dataDir, 'select 1 from outbox limit 1')).length && performance.now() < deadline)
    await delay(50);
  const events = await query<{ sequence: number; resource_id: string; type: string }>(
    dataDir,
    'select sequence::int, resource_id, type from events order by sequence',
  );
  const gaps = events.filter(({ sequence }, index) => sequence !== index + 1).length;
  const created = Map.groupBy(
    events.filter(({ type }) => type === 'api_key.created'),
    ({ resource_id }) => resource_id,
  );
  const wrong = [...acknowledged.values()].filter((id) => created.get(id)?.length !== 1).length;
  return gaps + wrong;
}

async function isReady(base: string): Promise<boolean> {
  const answer = await fetch(`${base}/readyz`, { signal: AbortSignal.timeout(3000) }).catch(() => null);
  await answer?.text();
  return answer?.status === 200;
}

/**
 * @param dataDir an empty folder.
 * @param random gives 0 up to 1.
 * @param tell is told of each kill.
 */
export async function crashRounds(
  dataDir: string,
  kills: number,
  { random = Math.random, tell = () => {} }: { random?: () => number; tell?: (line: string) => void } = {},
): Promise<CrashReport> {
  const report: CrashReport = {
    kills: { server: 0, postmaster: 0, both: 0, start: 0 },
    acknowledged: 0,
    resent: 0,
    lost: 0,
    doubled: 0,
    eventFaults: 0,
    failedStarts: 0,
    leftOver: [],
    fsync: '',
    starts: [],
    strange: [],
  };
  const port = await freePort();
  let product: Product = await startProduct({ dataDir, port });
  const { base } = product;
  const account = await openAccount(base);
  const { secret } = await account.createKey({
    preset: undefined,
    scopes: ['api_keys:write', 'models:read'],
  });
  const writers = startWriters(base, secret, report);
  const killed = (): number => Object.values(report.kills).reduce((sum, count) => sum + count, 0);

  const startAgain = async (): Promise<void> => {
    for (let tries = 0; ; tries += 1) {
      try {
        product = await startProduct({ dataDir, port });
        report.starts.push(product.readyMs);
        return;
      } catch (error) {
        report.failedStarts += 1;
        tell((error as Error).message);
        if (tries === 3) throw error;
      }
    }
  };
  const killWhileStarting = async (): Promise<void> => {
    const abort = new AbortController();
    const starting = startProduct({ dataDir, port, signal: abort.signal });
    await delay(random() * STARTING_MS);
    abort.abort();
    await starting.then((ready) => ready.kill()).catch(() => undefined); // it was killed, as it should be
    report.kills.start += 1;
  };

  try {
    while (killed() < kills) {
      const victim = VICTIMS[Math.floor(random() * VICTIMS.length)]!;
      await delay(random() * LONGEST_MS);
      if (victim !== 'server') process.kill(postmasterOf(`${dataDir}/postgres/data`), 'SIGKILL');
      report.kills[victim] += 1;
      if (victim === 'postmaster') {
        // The server lives on and brings its database back by itself.
        const deadline = performance.now() + AGAIN_WITHIN_MS;
        await delay(100);
        while (!(await isReady(base)) && performance.now() < deadline) await delay(20);
        if (!(await isReady(base))) report.failedStarts += 1;
      } else {
        await product.kill();
        if (random() < 0.3 && killed() < kills) await killWhileStarting();
        await startAgain();
      }
      await compare(dataDir, writers.acknowledged, report);
      tell(
        `${killed()} killed, last ${victim}: ${report.acknowledged} acknowledged, ${report.lost} lost, ${report.doubled} doubled`,
      );
    }
    await delay(LONGEST_MS);
    await writers.stop();
    await compare(dataDir, writers.acknowledged, report);
    report.eventFaults = await compareEvents(dataDir, writers.acknowledged);
    report.fsync = (await query<{ fsync: string }>(dataDir, 'show fsync'))[0]!.fsync;
  } finally {
    await writers.stop();
    // The last one dies without a stop, and nobody starts again: its watchdog has to clear up.
    await product.kill();
    report.leftOver = await leftOver(dataDir);
  }
  return report;
}

/** What is wrong with a report, in words; empty when nothing is. */
export function faultsOf(report: CrashReport): string[] {
  const { acknowledged, lost, doubled, eventFaults, failedStarts, strange, fsync } = report;
  const faults: [boolean, string][] = [
    [acknowledged === 0, 'nothing was acknowledged'],
    [lost > 0, `${lost} acknowledged rows lost`],
    [doubled > 0, `${doubled} rows doubled`],
    [eventFaults > 0, `${eventFaults} faults of the event log`],
    [failedStarts > 0, `${failedStarts} failed starts`],
    [report.leftOver.length > 0, `left over: ${report.leftOver.join('; ')}`],
    [strange.length > 0, `strange answers: ${[...new Set(strange)].slice(0, 5).join('; ')}`],
    [fsync !== 'on', `fsync is ${fsync}`],
  ];
  return faults.filter(([is]) => is).map(([, text]) => text);
}
