/**
 * The whole product killed again and again at random instants (server, PostgreSQL server, or both; now and then while
 * it still starts) while callers create API keys through HTTP. Each caller sends a call again under the same
 * Idempotency-Key until it has its 201.
 *
 * What must hold: whatever was acknowledged is there after every kill, once, with its one event; every start succeeds;
 * no process is left over; fsync is on.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { toUuid } from '../../src/core/vocabulary/ids.ts';
import { openAccount } from './account.ts';
import {
  AGAIN_WITHIN_MS,
  goOnUntil,
  type KillCounts,
  killedIn,
  noKills,
  query,
  startTarget,
} from './killing.ts';

/** Without this many acknowledged rows, a run proves too little. */
export const ENOUGH = 10;
const WRITERS = 4;

/** Longest time from a ready server to its kill. */
const MAX_MS = 600;

export interface CrashReport extends KillCounts {
  acknowledged: number;
  /** Calls that were sent again after a kill and then acknowledged. */
  resent: number;
  lost: number;
  /** Keys that a call made twice. */
  doubled: number;
  /** Acknowledged keys without exactly one event, and gaps in the workspace's sequence. */
  eventFaults: number;
  leftOver: string[];
  fsync: string;
  /** Answers that were neither a success nor a refusal to be expected while the database is away. */
  strange: string[];
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
  report.lost = Math.max(report.lost, expected.filter(([, id]) => !ids.has(toUuid('api_key', id)!)).length);
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

/**
 * @param dataDir an empty folder.
 * @param random gives 0 up to 1.
 * @param tell is told of each kill.
 */
export async function crashRounds(
  dataDir: string,
  kills: number,
  {
    random = Math.random,
    report: tell = () => {},
  }: { random?: () => number; report?: (line: string) => void } = {},
): Promise<CrashReport> {
  const report: CrashReport = {
    ...noKills(),
    acknowledged: 0,
    resent: 0,
    lost: 0,
    doubled: 0,
    eventFaults: 0,
    leftOver: [],
    fsync: '',
    strange: [],
  };
  const target = await startTarget({ dataDir, longestMs: MAX_MS, counts: report, random, report: tell });
  const { base } = target;
  const account = await openAccount(base);
  const { secret } = await account.createKey({
    preset: undefined,
    scopes: ['api_keys:write', 'models:read'],
  });
  const writers = startWriters(base, secret, report);

  try {
    while (killedIn(report) < kills) {
      const { victim } = await target.strike(kills - killedIn(report));
      await compare(dataDir, writers.acknowledged, report);
      tell(
        `${killedIn(report)} killed, last ${victim}: ${report.acknowledged} acknowledged, ${report.lost} lost, ${report.doubled} doubled`,
      );
    }
    await goOnUntil(`${ENOUGH} are acknowledged`, () => writers.acknowledged.size > ENOUGH);
    await writers.stop();
    await compare(dataDir, writers.acknowledged, report);
    report.eventFaults = await compareEvents(dataDir, writers.acknowledged);
    report.fsync = (await query<{ fsync: string }>(dataDir, 'show fsync'))[0]!.fsync;
  } finally {
    await writers.stop();
    // The last one dies without a stop, and nobody starts again: its watchdog has to clear up.
    report.leftOver = await target.end();
  }
  return report;
}

/** What is wrong with a report, in words; empty when nothing is. */
export function getErrors(report: CrashReport): string[] {
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
