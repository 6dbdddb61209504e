/**
 * Many calls at the same time on a budget of a few, over two server processes on one database; in some rounds one of the
 * servers is killed (SIGKILL) meanwhile and started again. The model provider must never see a call too many, and no
 * reservation may stay.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { succeeded } from '../account.ts';
import { untilWithin } from '../until.ts';
import {
  type Called,
  callModel,
  createBudgetKey,
  type ModelCall,
  startModelServers,
} from './model-servers.ts';
import { LATE_MS } from './scripted-upstream.ts';

export const LIMIT = 10;
export const CALLS = 200;
const RETRY_MS = 500;
const MODEL = 'late';

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

/** Calls the model, again if the server is too busy (503), as OpenAI's client does. */
async function callUntilAdmitted(
  base: string,
  call: ModelCall,
  retries = 0,
): Promise<Called & { retries: number }> {
  const called = await callModel(base, call);
  if (called.status !== 503) return { ...called, retries };
  await delay(RETRY_MS);
  return callUntilAdmitted(base, call, retries + 1);
}

export async function budgetRounds(options: BudgetRoundsOptions): Promise<BudgetReport> {
  const { folder, rounds, kills, random, endLeases, report = () => {} } = options;
  await using world = await startModelServers({ folder, count: 2, models: [MODEL] });
  const { servers, upstream, account, countRows } = world;
  const receivedIn = (round: number): number =>
    upstream.calls.filter(({ body }) => body?.messages[0].content === `round ${round}`).length;
  const until = untilWithin({ withinMs: 180_000, everyMs: 10 });
  const done: { round: BudgetRound; budgetId: string }[] = [];

  for (let nth = 0; nth < rounds + kills; nth += 1) {
    const killed = nth >= rounds;
    const { budgetId, secret } = await createBudgetKey(account, `Round ${nth}`, { calls: LIMIT });
    const statuses: Record<number, number> = {};
    let retries = 0;
    const callAll = async (): Promise<void> => {
      const calls = Array.from({ length: CALLS }, (_, call) =>
        callUntilAdmitted(servers[call % 2]!.base, {
          key: secret,
          model: MODEL,
          prompt: `round ${nth}`,
          stream: call % 4 < 2,
        }),
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
      await world.startAgain(victim);
      // Whatever is left of the budget is used, and nothing beyond it.
      await callAll();
    } else await calling;
    const received = receivedIn(nth);
    done.push({
      round: { killed, statuses, retries, received, used: 0, reserved: 0, remaining: 0 },
      budgetId,
    });
    report(`round ${nth}${killed ? ', with a kill' : ''}: ${JSON.stringify(statuses)}, received ${received}`);
  }

  if (endLeases) await world.endLeases();
  await until('no call is open', async () => (await countRows('model_open_calls')) === 0).catch(
    (error: Error) => report(error.message),
  );
  for (const { round, budgetId } of done) {
    const answer = await succeeded(await account.call('GET', `/budgets/${budgetId}`));
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
