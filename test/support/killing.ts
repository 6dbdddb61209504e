/**
 * The whole product, killed with SIGKILL at random instants: server, PostgreSQL server, or both; now and then while it
 * still starts. After each kill it runs again: started anew, or by itself where only its database died.
 */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { runningConnection } from '../../src/platform/embedded-postgres/embedded.ts';
import { leftOver, getPostmaster } from './embedded-postgres/harness.ts';
import { freePort, type Product, startProduct } from './product.ts';
import { untilWithin } from './until.ts';

const VICTIMS = ['server', 'postmaster', 'both'] as const;
export type Victim = (typeof VICTIMS)[number];

/** Goes on until as much happened as a test needs, however slow the machine is: what ran for a set time may have done nothing. */
export const goOnUntil = untilWithin({ withinMs: 120_000, everyMs: 20 });

/** Longest time that a start is left before it is killed; it takes about this. */
const STARTING_MS = 400;
/** A server whose database was killed must serve again within this. */
export const AGAIN_WITHIN_MS = 120_000;

export interface KillCounts {
  kills: Record<Victim | 'start', number>;
  failedStarts: number;
  /** Milliseconds to /readyz of each start after a kill. */
  starts: number[];
}

export const noKills = (): KillCounts => ({
  kills: { server: 0, postmaster: 0, both: 0, start: 0 },
  failedStarts: 0,
  starts: [],
});

export const killedIn = ({ kills }: KillCounts): number =>
  Object.values(kills).reduce((sum, count) => sum + count, 0);

/** What the embedded database of a folder says. */
export async function query<T extends pg.QueryResultRow>(dataDir: string, text: string): Promise<T[]> {
  const client = new pg.Client((await runningConnection(dataDir))!);
  await client.connect();
  try {
    return (await client.query<T>(text)).rows;
  } finally {
    await client.end();
  }
}

async function isReady(base: string): Promise<boolean> {
  const answer = await fetch(`${base}/readyz`, { signal: AbortSignal.timeout(3000) }).catch(() => null);
  const body = (await answer?.json().catch(() => null)) as
    | { checks: { database: string } }
    | null
    | undefined;
  // Who follows links is ready without a database too.
  return answer?.status === 200 && body?.checks.database === 'ok';
}

export interface Target {
  base: string;
  /** Waits for a random time, kills, and lets it run again; at most `most` kills. @returns who was killed, when it was dead and when ready again. */
  strike(max: number): Promise<{ victim: Victim; at: number; readyAt: number }>;
  /** The last kill, after which nobody starts it again. @returns the processes that are left over: there must be none. */
  end(): Promise<string[]>;
}

export interface TargetOptions {
  /** An empty folder. */
  dataDir: string;
  env?: Record<string, string>;
  /** Longest time from a ready server to its kill. */
  longestMs: number;
  counts: KillCounts;
  /** Gives 0 up to 1. */
  random: () => number;
  report: (line: string) => void;
}

export async function startTarget(options: TargetOptions): Promise<Target> {
  const { dataDir, env = {}, longestMs, counts, random, report } = options;
  const port = await freePort();
  let product: Product = await startProduct({ dataDir, port, env });
  const { base } = product;

  const startAgain = async (): Promise<void> => {
    for (let tries = 0; ; tries += 1) {
      try {
        product = await startProduct({ dataDir, port, env });
        counts.starts.push(product.readyMs);
        return;
      } catch (error) {
        counts.failedStarts += 1;
        report((error as Error).message);
        if (tries === 3) throw error;
      }
    }
  };
  const killWhileStarting = async (): Promise<void> => {
    const abort = new AbortController();
    const starting = startProduct({ dataDir, port, env, signal: abort.signal });
    await delay(random() * STARTING_MS);
    abort.abort();
    await starting.then((ready) => ready.kill()).catch(() => undefined); // it was killed, as it should be
    counts.kills.start += 1;
  };

  return {
    base,
    async strike(max) {
      const victim = VICTIMS[Math.floor(random() * VICTIMS.length)]!;
      await delay(random() * longestMs);
      if (victim !== 'server') process.kill(getPostmaster(`${dataDir}/postgres/data`), 'SIGKILL');
      counts.kills[victim] += 1;
      if (victim !== 'postmaster') await product.kill();
      const at = performance.now();
      if (victim === 'postmaster') {
        // The server lives on and brings its database back by itself.
        const deadline = performance.now() + AGAIN_WITHIN_MS;
        await delay(100);
        while (!(await isReady(base)) && performance.now() < deadline) await delay(20);
        if (!(await isReady(base))) counts.failedStarts += 1;
      } else {
        if (max > 1 && random() < 0.3) await killWhileStarting();
        await startAgain();
      }
      return { victim, at, readyAt: performance.now() };
    },
    async end() {
      await product.kill();
      return leftOver(dataDir);
    },
  };
}
