/**
 * Many calls at the same time on a budget of a few, over two server processes on one database; in some rounds one of the
 * servers is killed (SIGKILL) meanwhile and started again. The model provider must never see a call too many, and no
 * reservation may stay.
 */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { startEmbedded } from '../../../src/platform/embedded-postgres/embedded.ts';
import { type Account, openAccount, succeeded } from '../account.ts';
import { type Product, startProduct } from '../product.ts';
import { untilWithin } from '../until.ts';
import { LATE_MS, type ScriptedUpstream, startScriptedUpstream } from './scripted-upstream.ts';

export const LIMIT = 10;
export const CALLS = 200;
const CALL_WITHIN_MS = 120_000;
const RETRY_MS = 500;
const SECRET = 'a secret of 32 characters or more';
const MODEL = 'late';
const quiet = { info() {}, warn() {}, error: console.error };

export interface BudgetRound {
  killed: boolean;
  /** Responses by status; 0 for calls that broke off with their server. */
  statuses: Record<number, number>;
  /** Responses 503, after which a caller tried again. */
  retries: number;
  /** Calls that the provider received. */
  received: number;
  /** What the budget counts once all calls have ended and all leases are over. */
  used: number;
  reserved: number;
  remaining: number;
}

export interface BudgetReport {
  rounds: BudgetRound[];
  /** Calls that are still open at the end. */
  open: number;
  /** Rows of calls that were interrupted. */
  interrupted: number;
}

export interface BudgetRoundsOptions {
  /** An empty folder. */
  folder: string;
  /** Rounds without a kill, and with one. */
  rounds: number;
  kills: number;
  random: () => number;
  /** Whether the leases of killed servers are ended in the database, instead of waiting for a minute. */
  endLeases: boolean;
  report?: (line: string) => void;
}

interface Budget {
  id: string;
  key: string;
}

async function createBudget(account: Account, round: number): Promise<Budget> {
  const key = await account.createKey({ name: `Round ${round}` });
  const budget = await succeeded(
    await account.call('POST', '/budgets', {
      name: `Round ${round}`,
      api_key_id: key.id,
      limit: { calls: LIMIT },
      window: 'total',
    }),
  );
  return { id: ((await budget.json()) as { id: string }).id, key: key.secret };
}

interface Called {
  /** 0 if there was no complete response. */
  status: number;
  /** How often the server was too busy. */
  retries: number;
}

/** Calls the model, again if the server is too busy (503), as OpenAI's client does. The prompt names the round. */
async function callModel(
  base: string,
  key: string,
  round: number,
  stream: boolean,
  retries = 0,
): Promise<Called> {
  try {
    const response = await fetch(`${base}/api/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: `upstream/${MODEL}`,
        messages: [{ role: 'user', content: `round ${round}` }],
        stream,
      }),
      signal: AbortSignal.timeout(CALL_WITHIN_MS),
    });
    await response.text();
    if (response.status !== 503) return { status: response.status, retries };
  } catch (error) {
    if ((error as Error).name === 'TimeoutError') throw error;
    return { status: 0, retries };
  }
  await delay(RETRY_MS);
  return callModel(base, key, round, stream, retries + 1);
}

export async function budgetRounds(options: BudgetRoundsOptions): Promise<BudgetReport> {
  const { folder, rounds, kills, random, endLeases, report = () => {} } = options;
  const database = await startEmbedded({ dataDir: `${folder}/database`, log: quiet });
  const { connection } = database;
  const client = new pg.Client(connection);
  const env = {
    DATABASE_URL: `postgres://${connection.user}@${encodeURIComponent(connection.host)}:${connection.port}/${connection.database}`,
    FAIRLEAD_SECRET: SECRET,
    EGRESS_ALLOW: '127.0.0.1',
    LOG_LEVEL: 'warn',
  };
  const upstream: ScriptedUpstream = await startScriptedUpstream();
  const servers: Product[] = [];
  const start = async (nth: number, port?: number): Promise<void> => {
    servers[nth] = await startProduct({ dataDir: `${folder}/${nth}`, env, ...(port ? { port } : {}) });
  };
  const receivedIn = (round: number): number =>
    upstream.calls.filter(({ body }) => body?.messages[0].content === `round ${round}`).length;
  const countRows = async (text: string): Promise<number> =>
    (await client.query<{ count: number }>(`select count(*)::integer as count from ${text}`)).rows[0]!.count;

  try {
    await client.connect();
    await start(0);
    await start(1);
    const account = await openAccount(servers[0]!.base);
    await succeeded(
      await account.call('POST', '/model-providers', {
        kind: 'openai_compatible',
        name: 'Upstream',
        slug: 'upstream',
        base_url: upstream.url,
        models: [{ id: MODEL }],
      }),
    );
    const until = untilWithin({ withinMs: 180_000, everyMs: 10 });
    const done: { round: BudgetRound; budget: Budget }[] = [];

    for (let nth = 0; nth < rounds + kills; nth += 1) {
      const killed = nth >= rounds;
      const budget = await createBudget(account, nth);
      const statuses: Record<number, number> = {};
      let retries = 0;
      const callAll = async (): Promise<void> => {
        const calls = Array.from({ length: CALLS }, (_, call) =>
          callModel(servers[call % 2]!.base, budget.key, nth, call % 4 < 2),
        );
        for (const called of await Promise.all(calls)) {
          statuses[called.status] = (statuses[called.status] ?? 0) + 1;
          retries += called.retries;
        }
      };
      const calling = callAll();
      if (killed) {
        const victim = random() < 0.5 ? 0 : 1;
        const midway = 1 + Math.floor(random() * LIMIT);
        await until('calls reach the provider', () => receivedIn(nth) >= midway);
        await delay(random() * LATE_MS);
        await servers[victim]!.kill();
        await calling;
        await start(victim, servers[victim]!.port);
        // Whatever is left of the budget is used, and nothing beyond it.
        await callAll();
      } else await calling;
      const received = receivedIn(nth);
      done.push({
        round: { killed, statuses, retries, received, used: 0, reserved: 0, remaining: 0 },
        budget,
      });
      report(
        `round ${nth}${killed ? ', with a kill' : ''}: ${JSON.stringify(statuses)}, received ${received}`,
      );
    }

    if (endLeases) await client.query('update model_open_calls set lease_until = now()');
    await until('no call is open', async () => (await countRows('model_open_calls')) === 0).catch(
      (error: Error) => report(error.message),
    );
    for (const { round, budget } of done) {
      const answer = await succeeded(await account.call('GET', `/budgets/${budget.id}`));
      const { used, reserved, remaining } = (await answer.json()) as BudgetRound;
      Object.assign(round, {
        used,
        reserved,
        remaining,
        received: receivedIn(done.findIndex((one) => one.round === round)),
      });
    }
    return {
      rounds: done.map(({ round }) => round),
      open: await countRows('model_open_calls'),
      interrupted: await countRows(`model_calls where outcome = 'interrupted'`),
    };
  } finally {
    for (const server of servers) if (server.isRunning()) await server.stop();
    await client.end();
    await upstream[Symbol.asyncDispose]();
    await database.stop();
  }
}

/** What is wrong in a report; empty if nothing is. */
export function getErrors({ rounds, open }: BudgetReport): string[] {
  const errors = rounds.flatMap((round, nth) => {
    const { killed, statuses, received, used, reserved, remaining } = round;
    const wrong: [string, boolean][] = [
      [`the provider received ${received} calls`, killed ? received > LIMIT : received !== LIMIT],
      [`${statuses[200] ?? 0} calls passed`, killed ? (statuses[200] ?? 0) > LIMIT : statuses[200] !== LIMIT],
      [`${statuses[402] ?? 0} calls were rejected`, !killed && statuses[402] !== CALLS - LIMIT],
      [
        `responses were ${JSON.stringify(statuses)}`,
        Object.keys(statuses).some((status) => !['200', '402', ...(killed ? ['0'] : [])].includes(status)),
      ],
      [`the budget counts ${used}`, used !== LIMIT],
      [`${reserved} stayed reserved`, reserved !== 0],
      [`${remaining} remained`, remaining !== 0],
    ];
    return wrong.filter(([, isWrong]) => isWrong).map(([text]) => `round ${nth}: ${text}`);
  });
  return open ? [...errors, `${open} calls stayed open`] : errors;
}
