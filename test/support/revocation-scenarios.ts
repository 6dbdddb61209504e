/**
 * Where and how keys are revoked: two processes that share a port, two servers on one database; undisturbed, with
 * the connections for hints cut again and again, with no way for hints at all, and with one of the processes stopped
 * for a while.
 */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type EmbeddedDatabase, startEmbedded } from '../../src/platform/embedded-postgres/embedded.ts';
import { openAccount } from './account.ts';
import { openIngress } from './database-gate.ts';
import { getCommand, getTree } from './processes.ts';
import { type Product, startProduct } from './product.ts';
import { revocationRound, type RevocationRound, type RoundOptions } from './revocation.ts';

export interface ScenarioResult {
  scenario: string;
  rounds: RevocationRound[];
}

export interface ScenarioOptions {
  /** An empty folder. */
  folder: string;
  rounds: number;
  /** How long a process is stopped (ms). */
  stoppedMs: number;
  /** See RoundOptions. */
  limitMs?: number;
  report?: (line: string) => void;
}

/** Long enough that only polling can tell in time. */
const HINTLESS_MS = 1500;
const SECRET = 'a secret of 32 characters or more';
const quiet = { info() {}, warn() {}, error: console.error };

const getAddress = ({ connection }: EmbeddedDatabase): string =>
  `postgres://${connection.user}@${encodeURIComponent(connection.host)}:${connection.port}/${connection.database}`;

/** Ends every connection that listens for hints, as often as a new one comes, until called off. */
async function cutListeners(database: EmbeddedDatabase, told: { cut: number }): Promise<() => Promise<void>> {
  const client = new pg.Client(database.connection);
  await client.connect();
  let cutting = true;
  const loop = (async () => {
    while (cutting) {
      const { rowCount } = await client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'fairlead hints'`,
      );
      told.cut += rowCount ?? 0;
      await delay(20);
    }
    await client.end();
  })();
  return async () => {
    cutting = false;
    await loop;
  };
}

const stopProcess = async (pid: number): Promise<() => Promise<void>> => {
  process.kill(pid, 'SIGSTOP');
  return async () => void process.kill(pid, 'SIGCONT');
};

/** The processes that serve: the first one, or its workers. */
const servingProcesses = ({ pid }: Product): number[] => {
  const workers = getTree(pid).filter(
    (child) => child !== pid && getCommand(child).includes('bin/launch.js'),
  );
  return workers.length ? workers : [pid];
};

/** @throws Error when a server doesn't start. */
export async function revocationScenarios(options: ScenarioOptions): Promise<ScenarioResult[]> {
  const { folder, rounds, stoppedMs, limitMs, report = () => {} } = options;
  const database = await startEmbedded({ dataDir: `${folder}/database`, log: quiet });
  const door = await openIngress(database.connection);
  const env = {
    DATABASE_URL: getAddress(database),
    DATABASE_DIRECT_URL: `postgres://${database.connection.user}@127.0.0.1:${door.port}/${database.connection.database}`,
    FAIRLEAD_SECRET: SECRET,
    SIGN_UP: 'open',
    LOG_LEVEL: 'error',
  };
  const results: ScenarioResult[] = [];

  const setUps: Record<string, () => Promise<Product[]>> = {
    'two processes': async () => [
      await startProduct({ dataDir: `${folder}/a`, env: { ...env, PROCESSES: '2' } }),
    ],
    'two servers': async () => [
      await startProduct({ dataDir: `${folder}/a`, env }),
      await startProduct({ dataDir: `${folder}/b`, env }),
    ],
  };
  try {
    for (const [setUp, start] of Object.entries(setUps)) {
      const products = await start();
      try {
        const account = await openAccount(products[0]!.base, `${setUp.replace(' ', '-')}@example.com`);
        const bases = products.map(({ base }) => base);
        const told = { cut: 0 };
        const last = products.flatMap(servingProcesses).at(-1)!;
        const disturbances: Record<string, Partial<RoundOptions>> = {
          undisturbed: {},
          'listeners cut': { disturb: () => cutListeners(database, told), disturbedForMs: HINTLESS_MS },
          'no hints at all': {
            async disturb() {
              door.shut();
              return async () => door.reopen();
            },
            disturbedForMs: HINTLESS_MS,
          },
          'a process stopped': { disturb: () => stopProcess(last), disturbedForMs: stoppedMs, stops: true },
        };
        for (const [disturbance, how] of Object.entries(disturbances)) {
          const scenario = `${setUp}, ${disturbance}`;
          const result: ScenarioResult = { scenario, rounds: [] };
          for (let round = 0; round < rounds; round += 1) {
            const done = await revocationRound({ bases, account, limitMs, ...how });
            result.rounds.push(done);
            report(
              `${scenario}: last success ${done.lastSuccessMs} ms, streams ended ${done.streamsEndedMs} ms after ${done.faults.join('; ')}`,
            );
          }
          results.push(result);
        }
        if (told.cut === 0) results.at(-1)!.rounds[0]!.faults.push('no listener was ever cut');
      } finally {
        for (const product of products) await product.stop();
      }
    }
  } finally {
    await door.close();
    await database.stop();
  }
  return results;
}
