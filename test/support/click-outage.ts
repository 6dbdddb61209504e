/**
 * The database goes away, or hangs, for a while under visitors of links that are in memory. Every visit must be sent on,
 * without a wait, and afterwards each must be a click, once.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type EmbeddedDatabase, startEmbedded } from '../../src/platform/embedded-postgres/embedded.ts';
import { openAccount, succeeded } from './account.ts';
import { compare, emptyReport, ENOUGH, type ClickReport, startVisitors } from './click-rounds.ts';
import { openIngress } from './database-gate.ts';
import { getPostmaster } from './embedded-postgres/harness.ts';
import { getTree } from './processes.ts';
import { startProduct } from './product.ts';

const LINKS = 20;
const TARGET = 'https://example.com/';
const MEMORY_WITHIN_MS = 120_000;
const LOADED_WITHIN_MS = 180_000;
const BEFORE_MS = 1_000;
const AFTER_MS = 3_000;

/** Stopped: connections end, and none is accepted. Frozen: everything is accepted, and nothing answered. */
export const OUTAGES = ['stopped', 'frozen'] as const;
export type Outage = (typeof OUTAGES)[number];

export interface OutageReport extends ClickReport {
  /** Visits that were sent on while the database was away. */
  meanwhile: number;
  /** The longest that a visit waited for its answer, ms. */
  slowestMs: number;
  /** What /readyz said during the outage. */
  ready: string[];
  /** From the return of the database until all clicks were in it, ms. */
  loadedMs: number;
}

const getAddress = ({ connection }: EmbeddedDatabase, port: number): string =>
  `postgres://${connection.user}@127.0.0.1:${port}/${connection.database}`;

async function getReadiness(base: string): Promise<string> {
  const answer = await fetch(`${base}/readyz`, { signal: AbortSignal.timeout(10_000) });
  const { status } = (await answer.json()) as { status: string };
  return `${answer.status} ${status}`;
}

/** A link that is read while its own making becomes known is not kept: the next visit of it is. */
async function allInMemory(base: string): Promise<void> {
  const deadline = performance.now() + MEMORY_WITHIN_MS;
  for (;;) {
    const text = await (await fetch(`${base}/metrics`)).text();
    if (text.includes(`fairlead_link_map_entries{kind="link"} ${LINKS}\n`)) return;
    if (performance.now() > deadline) throw new Error('links do not come into memory');
    await delay(100);
  }
}

/** @param folder an empty one */
export async function clickOutage(
  folder: string,
  outage: Outage,
  outageMs: number,
  env: Record<string, string> = {},
): Promise<OutageReport> {
  const databaseDir = `${folder}/database`;
  const quiet = { info() {}, warn() {}, error: console.error };
  const database = await startEmbedded({ dataDir: databaseDir, log: quiet });
  const door = await openIngress(database.connection);
  const report: OutageReport = { ...emptyReport(), meanwhile: 0, slowestMs: 0, ready: [], loadedMs: 0 };
  const signal = (name: NodeJS.Signals): void => {
    for (const pid of getTree(getPostmaster(`${databaseDir}/postgres/data`))) process.kill(pid, name);
  };
  const [begin, end] =
    outage === 'stopped' ? [door.shut, door.reopen] : [() => signal('SIGSTOP'), () => signal('SIGCONT')];
  try {
    const product = await startProduct({
      dataDir: `${folder}/data`,
      env: {
        DATABASE_URL: getAddress(database, door.port),
        FAIRLEAD_SECRET: 'a secret of 32 characters or more',
        LOG_LEVEL: 'error',
        ...env,
      },
    });
    try {
      const account = await openAccount(product.base);
      const slugs = Array.from({ length: LINKS }, (_, nth) => `outage-${nth}`);
      for (const slug of slugs) await succeeded(await account.call('POST', '/links', { url: TARGET, slug }));
      const warm = startVisitors(product.base, slugs, report.strange);
      await allInMemory(product.base);
      await delay(BEFORE_MS);
      begin();
      try {
        const before = warm.outcome.size;
        const until = performance.now() + outageMs;
        // Until enough were answered, too: that they were while the database was away shows that none waits for it.
        while (performance.now() < until || warm.outcome.size - before <= ENOUGH) {
          await delay(500);
          report.ready.push(await getReadiness(product.base));
        }
        report.meanwhile = warm.outcome.size - before;
      } finally {
        end();
      }
      const back = performance.now();
      await delay(AFTER_MS);
      await warm.stop();
      report.slowestMs = warm.slowestMs();
      for (let before = -1; ; before = report.clicks) {
        await compare(databaseDir, warm.outcome, report);
        const isLoaded = report.lost === 0 && report.clicks === before;
        report.loadedMs = performance.now() - back;
        if (isLoaded || report.loadedMs > LOADED_WITHIN_MS) break;
        await delay(1_000);
      }
    } finally {
      await product.stop();
    }
  } finally {
    await door.close();
    await database.stop();
  }
  return report;
}
