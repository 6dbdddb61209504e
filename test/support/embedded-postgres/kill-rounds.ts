/**
 * The crash test: a server writes rows, and is killed again and again by SIGKILL at a random instant: the server
 * process, the PostgreSQL server, or both; now and then the next one too, while it still starts. After each kill all
 * rows that were acknowledged must be there.
 */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { ConnectionSettings } from '../../../src/platform/embedded-postgres/embedded.ts';
import { leftOver, getPostmaster, type Server, startServer } from './harness.ts';

const VICTIMS = ['server', 'postmaster', 'both'] as const;

export interface KillReport {
  kills: number;
  acknowledged: number;
  lost: number;
  failedStarts: number;
  leftOver: number;
  fsync: string;
  /** Milliseconds that each start took after a kill. */
  starts: number[];
}

const WRITERS = 4;
/** Longest time from a ready server to its kill (ms). */
const LONGEST = 600;
/** Longest time that a start is left before it is killed (ms); it takes about this. */
const STARTING = 150;
/** A database that was just killed may take this long to serve again (ms). */
const ANSWERS_WITHIN = 10_000;

async function ask<T extends pg.QueryResultRow>(connection: ConnectionSettings, text: string): Promise<T[]> {
  const deadline = performance.now() + ANSWERS_WITHIN;
  for (;;) {
    const client = new pg.Client({ ...connection, connectionTimeoutMillis: 5000 });
    client.on('error', () => {}); // the query's own error tells
    try {
      await client.connect();
      return (await client.query<T>(text)).rows;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await delay(20);
    } finally {
      await client.end().catch(() => {});
    }
  }
}

const servedAgain = (server: Server): number =>
  server.events.filter(({ event, message }) => event === 'log' && message.includes('running again')).length;

/**
 * @param dataDir an empty folder.
 * @param random gives 0 up to 1.
 * @param tell is told of each kill.
 */
export async function killRounds(
  dataDir: string,
  kills: number,
  random: () => number = Math.random,
  tell: (line: string) => void = () => {},
): Promise<KillReport> {
  const report: KillReport = {
    kills: 0,
    acknowledged: 0,
    lost: 0,
    failedStarts: 0,
    leftOver: 0,
    fsync: '',
    starts: [],
  };
  const acknowledged = new Set<number>();
  let server = startServer(dataDir, { writers: WRITERS });
  let told = await server.outcome();
  if (told.event === 'failed') throw new Error(told.message);

  const keep = (from: Server): void => {
    for (const { event, n } of from.events) if (event === 'acknowledged') acknowledged.add(n);
  };
  const verify = async (): Promise<void> => {
    keep(server);
    report.acknowledged = acknowledged.size;
    const rows = await ask<{ n: string }>(told.connection, 'select n from written');
    const there = new Set(rows.map(({ n }) => Number(n)));
    report.lost = Math.max(report.lost, [...acknowledged].filter((n) => !there.has(n)).length);
  };
  const startAgain = async (): Promise<void> => {
    for (;;) {
      server = startServer(dataDir, { writers: WRITERS });
      told = await server.outcome();
      if (told.event === 'ready') break;
      report.failedStarts += 1;
      tell(`a start failed: ${told.message}`);
      if (report.failedStarts > 3) throw new Error(told.message);
    }
    report.starts.push(told.milliseconds);
  };
  while (report.kills < kills) {
    const victim = VICTIMS[Math.floor(random() * VICTIMS.length)]!;
    await delay(random() * LONGEST);
    const served = servedAgain(server);
    if (victim !== 'server') process.kill(getPostmaster(told.dataDir), 'SIGKILL');
    // The server that lives on brings its database back by itself.
    if (victim === 'postmaster') await server.sees(() => servedAgain(server) > served);
    else {
      await server.kill();
      keep(server);
      if (random() < 0.3 && report.kills + 1 < kills) {
        server = startServer(dataDir, { writers: WRITERS });
        await delay(random() * STARTING);
        await server.kill();
        keep(server);
        report.kills += 1;
      }
      await startAgain();
    }
    report.kills += 1;
    await verify();
    tell(`${report.kills}: killed ${victim}; ${report.acknowledged} rows acknowledged, ${report.lost} lost`);
  }
  report.fsync = (await ask<{ fsync: string }>(told.connection, 'show fsync'))[0]!.fsync;
  // The last one dies without a stop, and nobody starts again: its watchdog has to clear up.
  await server.kill();
  report.leftOver = (await leftOver(dataDir)).length;
  return report;
}
