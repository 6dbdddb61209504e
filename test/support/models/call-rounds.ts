/**
 * Continuous model calls on budgets in US dollars, over one or several servers, of which one after the other is killed
 * (SIGKILL) and started again. Most calls are admitted from slices of budgets and recorded in a journal: a server is killed
 * only once it has recorded some.
 *
 * What must hold: each call that a caller saw answered is in the log and in the totals, once, as what it was; nothing else
 * is there but calls that broke off; and no budget is exceeded, but by what interrupted calls used.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { toUuid } from '../../../src/core/vocabulary/ids.ts';
import { succeeded } from '../account.ts';
import { untilWithin } from '../until.ts';
import { type BudgetKey, callModel, createBudgetKey, startModelServers } from './model-servers.ts';
import { USAGE } from './scripted-upstream.ts';

const MODELS = ['well', 'late'];
const PRICE = { input: 1, output: 2, request: 0.001 };
const NANO = 1e9;
/** Of a call that succeeds, in billionths of a US dollar. */
const COST = Math.round(
  PRICE.request * NANO + ((PRICE.input * USAGE.input + PRICE.output * USAGE.output) * NANO) / 1e6,
);
/** Calls that the budget of a round is for: soon used up, and enough that slices are drawn first. */
const SMALL_CALLS = 60;
/** Share of them before a kill: the last ones do not fit, because a call reserves more than it costs. */
const MAX_MIDWAY = 0.9;
const LARGE_USD = 1_000;
const CALLERS = { large: 8, free: 4, small: 4 };
/** Records in the journal of a server before it is killed. */
const MIN_RECORDS = 200;
const MAX_UNTIL_KILL_MS = 1_500;
/** After a call that had no success. */
const PAUSE_MS = 20;
/** While the server is away. */
const REFUSED_PAUSE_MS = 100;
const RECORDED = /^fairlead_model_call_journal_records_total\{.*recorded.*\} (\d+)$/m;

export interface CallRoundsOptions {
  /** An empty folder. */
  folder: string;
  servers: number;
  kills: number;
  random: () => number;
  /** Whether the leases of killed servers are ended in the database, instead of waiting for a minute. */
  endLeases: boolean;
  report?: (line: string) => void;
}

interface KeyReport {
  name: string;
  /** Responses by status. */
  statuses: Record<number, number>;
  /** Calls that broke off with their server, which may have been admitted. */
  brokenOff: number;
  /** Complete responses of status 200 without [DONE] or a choice. */
  incomplete: number;
  /** Complete responses of status 200. */
  answered: number;
  /** Of these: not in the log; and there as another outcome than a success at its cost. */
  missing: number;
  wrong: number;
  /** Calls that the provider received, and received again. */
  received: number;
  receivedAgain: number;
  /** Rows of the log, of these interrupted ones, and IDs that occur twice. */
  rows: number;
  interrupted: number;
  doubled: number;
  /** Billionths of a US dollar: of all rows, in the totals, counted by the budget, still reserved, and its limit. */
  cost: number;
  totalCost: number;
  used: number;
  reserved: number;
  limit: number;
  /** Calls in the totals. */
  totalCalls: number;
}

export interface CallReport {
  kills: number;
  /** Records that were in journals of servers when they were killed. */
  journaled: number;
  keys: KeyReport[];
  /** What the budget of the workspace counts, and what all rows cost. */
  workspace: { used: number; reserved: number; cost: number };
  output: string;
}

interface Tried {
  name: string;
  key: BudgetKey;
  limit: number;
  statuses: Record<number, number>;
  brokenOff: number;
  incomplete: number;
  /** UUIDs of calls that had a complete response of status 200. */
  answered: string[];
  received: Set<string>;
  receivedAgain: number;
}

interface Row extends Record<string, unknown> {
  id: string;
  actor: string;
  outcome: string;
  cost: number;
}

const toNano = (usd: number): number => Math.round(usd * NANO);

export async function callRounds(options: CallRoundsOptions): Promise<CallReport> {
  const { folder, kills, random, endLeases, report = () => {} } = options;
  await using world = await startModelServers({
    folder,
    count: options.servers,
    models: MODELS,
    prices: Object.fromEntries(MODELS.map((model) => [model, PRICE])),
  });
  const { servers, upstream, account } = world;
  const until = untilWithin({ withinMs: 180_000, everyMs: 20 });

  const tried = new Map<string, Tried>();
  const createTried = async (name: string, limit: number): Promise<Tried> => {
    const key = await createBudgetKey(account, name, { usd: limit / NANO });
    const one: Tried = {
      name,
      key,
      limit,
      statuses: {},
      brokenOff: 0,
      incomplete: 0,
      answered: [],
      received: new Set(),
      receivedAgain: 0,
    };
    tried.set(name, one);
    return one;
  };
  upstream.onCall = ({ body }) => {
    const prompt: string = body.messages[0].content;
    const one = tried.get(prompt.split(' ', 1)[0]!)!;
    if (one.received.has(prompt)) one.receivedAgain += 1;
    one.received.add(prompt);
    upstream.calls.length = 0;
  };

  const workspaceBudget = await succeeded(
    await account.call('POST', '/budgets', { name: 'All', limit: { usd: LARGE_USD }, window: 'total' }),
  );
  const { id: workspaceBudgetId } = (await workspaceBudget.json()) as { id: string };
  const large = await createTried('large', LARGE_USD * NANO);
  // Of what every caller shares, only the budget of the workspace is near.
  const free = await createTried('free', LARGE_USD * NANO);
  let small = large;

  let calling = true;
  let count = 0;
  const callOnce = async (one: Tried, nth: number): Promise<void> => {
    count += 1;
    const stream = count % 2 === 0;
    const called = await callModel(servers[nth % servers.length]!.base, {
      key: one.key.secret,
      model: MODELS[Math.floor(count / 2) % MODELS.length]!,
      prompt: `${one.name} ${count}`,
      stream,
    });
    const { status, requestId, text, isRefused } = called;
    if (status === 0) one.brokenOff += isRefused ? 0 : 1;
    else one.statuses[status] = (one.statuses[status] ?? 0) + 1;
    if (status !== 200) return delay(isRefused ? REFUSED_PAUSE_MS : PAUSE_MS);
    one.answered.push(toUuid('request', requestId!)!);
    if (!text.includes(stream ? '[DONE]' : '"choices"')) one.incomplete += 1;
  };
  const caller = async (get: () => Tried): Promise<void> => {
    for (let nth = Math.floor(random() * servers.length); calling; nth += 1) await callOnce(get(), nth);
  };
  const getRecorded = async (nth: number): Promise<number> =>
    Number(RECORDED.exec(await (await fetch(`${servers[nth]!.base}/metrics`)).text())?.[1] ?? 0);

  small = await createTried('small-0', SMALL_CALLS * COST);
  const callers = Promise.all([
    ...Array.from({ length: CALLERS.large }, () => caller(() => large)),
    ...Array.from({ length: CALLERS.free }, () => caller(() => free)),
    ...Array.from({ length: CALLERS.small }, () => caller(() => small)),
  ]);
  let journaled = 0;
  try {
    for (let nth = 0; nth < kills; nth += 1) {
      if (nth > 0) small = await createTried(`small-${nth}`, SMALL_CALLS * COST);
      const victim = Math.floor(random() * servers.length);
      const calls = Math.floor(random() * SMALL_CALLS * MAX_MIDWAY);
      let recorded = 0;
      const isMidway = async (): Promise<boolean> => {
        recorded = await getRecorded(victim);
        return recorded >= MIN_RECORDS && small.received.size >= calls;
      };
      await Promise.race([until('a server records calls in its journal', isMidway), callers]);
      await delay(random() * MAX_UNTIL_KILL_MS);
      await servers[victim]!.kill();
      journaled += recorded;
      await world.startAgain(victim);
      const rejected = small.statuses[402] ?? 0;
      await Promise.race([
        until('a budget is exhausted', () => (small.statuses[402] ?? 0) > rejected),
        callers,
      ]);
      report(`kill ${nth + 1}: ${count} calls, ${recorded} records in the journal of server ${victim}`);
    }
  } finally {
    calling = false;
    await callers;
  }

  if (endLeases) await world.endLeases();
  const isSettled = async (): Promise<boolean> => {
    const [held] = await world.query<{ held: boolean }>(
      `select exists (select from model_open_calls) or exists (select from model_budgets where reserved <> 0) as held`,
    );
    return !held!.held;
  };
  await until('all calls are loaded, and no reservation stays', isSettled).catch((error: Error) =>
    report(error.message),
  );
  return { kills, journaled, ...(await compare()), output: world.output() };

  async function compare(): Promise<Pick<CallReport, 'keys' | 'workspace'>> {
    const rows = await world.query<Row>(
      'select id, actor, outcome, coalesce(cost, 0)::float8 as cost from model_calls',
    );
    const byKey = Map.groupBy(rows, ({ actor }) => actor);
    const usage = (await (
      await succeeded(await account.call('GET', '/usage/models?group_by=key'))
    ).json()) as { data: { value: string; calls: number; cost_usd: number }[] };
    const getBudget = async (id: string): Promise<{ used: number; reserved: number }> => {
      const answer = await succeeded(await account.call('GET', `/budgets/${id}`));
      const { used, reserved } = (await answer.json()) as { used: number; reserved: number };
      return { used: toNano(used), reserved: toNano(reserved) };
    };
    const sum = (some: readonly Row[]): number => some.reduce((total, { cost }) => total + cost, 0);
    const keys: KeyReport[] = [];
    for (const { key, answered, received, ...one } of tried.values()) {
      const ofKey = byKey.get(key.keyId) ?? [];
      const byId = new Map(ofKey.map((row) => [row.id, row]));
      const seen = answered.map((id) => byId.get(id));
      const totals = usage.data.find(({ value }) => value === key.keyId);
      keys.push({
        ...one,
        answered: answered.length,
        missing: seen.filter((row) => !row).length,
        wrong: seen.filter((row) => row && !(row.outcome === 'succeeded' && row.cost === COST)).length,
        received: received.size,
        rows: ofKey.length,
        interrupted: ofKey.filter(({ outcome }) => outcome === 'interrupted').length,
        doubled: ofKey.length - byId.size,
        cost: sum(ofKey),
        totalCost: toNano(totals?.cost_usd ?? 0),
        totalCalls: totals?.calls ?? 0,
        ...(await getBudget(key.budgetId)),
      });
    }
    return { keys, workspace: { ...(await getBudget(workspaceBudgetId)), cost: sum(rows) } };
  }
}

/** Statuses that calls on a budget may have. */
const EXPECTED = new Set(['200', '402', '503']);

/** Returns the faults in a report. */
export function getErrors({ keys, workspace, journaled, kills, output }: CallReport): string[] {
  const errors = keys.flatMap((key) => {
    const { statuses, answered, brokenOff, received, rows, interrupted, used, limit, cost } = key;
    // A call that the provider received may have cost its full price, which an interrupted call doesn't count.
    const spent = received * COST;
    const wrong: [boolean, string][] = [
      [answered === 0, 'nothing was answered'],
      [
        Object.keys(statuses).some((status) => !EXPECTED.has(status)),
        `responses were ${JSON.stringify(statuses)}`,
      ],
      [key.incomplete > 0, `${key.incomplete} responses were incomplete`],
      [key.missing > 0, `${key.missing} answered calls are not in the log`],
      [key.wrong > 0, `${key.wrong} answered calls are in the log as something else`],
      [key.doubled > 0, `${key.doubled} calls are in the log twice`],
      [key.receivedAgain > 0, `the provider received ${key.receivedAgain} calls twice`],
      [rows < received, `the provider received ${received} calls, and the log has ${rows}`],
      [rows > answered + brokenOff, `the log has ${rows} calls of ${answered} and ${brokenOff} broken off`],
      [interrupted > brokenOff, `${interrupted} calls were interrupted, and ${brokenOff} broke off`],
      [key.totalCalls !== rows, `the totals have ${key.totalCalls} calls, and the log ${rows}`],
      [key.totalCost !== cost, `the totals cost ${key.totalCost}, and the log ${cost}`],
      [used !== cost, `the budget counts ${used}, and the log ${cost}`],
      [key.reserved !== 0, `${key.reserved} stayed reserved`],
      [used > limit, `the budget of ${limit} counts ${used}`],
      [spent > limit + interrupted * COST, `calls cost ${spent} on a budget of ${limit}`],
    ];
    return wrong.filter(([is]) => is).map(([, text]) => `${key.name}: ${text}`);
  });
  const small = keys.filter(({ name }) => name.startsWith('small'));
  const warning = /MaxListenersExceededWarning[^]{0,2000}/.exec(output);
  const others: [boolean, string][] = [
    [
      workspace.used !== workspace.cost,
      `the workspace counts ${workspace.used}, and the log ${workspace.cost}`,
    ],
    [workspace.reserved !== 0, `${workspace.reserved} stayed reserved in the workspace`],
    [journaled < kills * MIN_RECORDS, `journals had ${journaled} records`],
    [!small.some(({ statuses }) => statuses[402]), 'no small budget was exhausted'],
    [warning !== null, String(warning)],
  ];
  return [...errors, ...others.filter(([is]) => is).map(([, text]) => text)];
}
