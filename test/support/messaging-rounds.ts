/**
 * The whole product killed again and again at random instants while callers send messages through its accounts on a
 * channel. Each message has a text of its own, by which it is known at the other end.
 *
 * What must hold: every message that was answered 202 comes to an end; it is at the other end once, and in the order of
 * its chat; what the other end sent is taken in once; nothing stays in the queue. Where a channel can't be asked what became of a
 * message (`resend: never`) it may end as `delivery_unknown` instead, which is counted, and so are doubles.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Account, openAccount } from './account.ts';
import { goOnUntil, type KillCounts, killedIn, noKills, query, startTarget } from './killing.ts';

/** Longest time from a ready server to its kill. */
const MAX_MS = 2_000;
/** From the end of the last kill until everything must have ended. */
const DRAINED_WITHIN_MS = 120_000;
const SENDERS = 4;
/** Without this many, in both directions, a run proves too little. */
export const ENOUGH = { sent: 30, said: 10 };

/** Who sends to whom; all messages of a route are one chat. */
export interface Route {
  instance: string;
  to: string;
}

/** The channel's side of it. */
export interface Talk {
  /** How many texts were sent so far. */
  count(): number;
  /** @returns the texts that the channel took */
  stop(): Promise<string[]>;
}

/**
 * Sends texts, one after the other, until it is stopped.
 * @param say sends the texts of a step and resolves once the channel took them; `n` counts the texts before
 */
export function startTalk(pauseMs: number, say: (n: number) => Promise<string[]>): Talk {
  let isTalking = true;
  const said: string[] = [];
  const running = (async () => {
    while (isTalking) {
      said.push(...(await say(said.length)));
      await delay(pauseMs);
    }
  })();
  return {
    count: () => said.length,
    async stop() {
      isTalking = false;
      await running;
      return said;
    },
  };
}

export interface MessagingWorld {
  env: Record<string, string>;
  /** Makes instances and connects them. */
  open(account: Account): Promise<Route[]>;
  /** Texts at the other end of a route, in the order in which they came there. */
  received(route: Route, dataDir: string): Promise<string[]>;
  /** Of each of four senders, after each message: no faster than the channel's pace, or a queue is left that is only slow. */
  pauseMs: number;
  /** Whether a message may be taken twice or end as delivery_unknown. */
  isUncertain: boolean;
  /** Whether the channel itself keeps the order of what it takes. */
  keepsOrder: boolean;
  /** Kills what the channel runs on, and starts it again. */
  killChannel?(): Promise<void>;
  /** What else is wrong at the other end when all is over, in words. */
  faults?(): Promise<string[]>;
  /** The other end sends of its own accord from now on. @returns what stops it and gives the texts that the channel took. */
  talk?(routes: Route[]): Talk;
  close(): Promise<void>;
}

export interface MessagingReport extends KillCounts {
  /** Of what the channel runs on. */
  channelKills: number;
  acknowledged: number;
  /** Of the acknowledged: not final, or final and not at the other end. */
  unfinished: string[];
  lost: number;
  doubled: number;
  unknown: number;
  misordered: number;
  /** Messages that nobody acknowledged and that were sent nevertheless. */
  unanswered: number;
  /** What the other end sent, and how much of it was not stored, or twice. */
  spoken: number;
  unheard: number;
  heardTwice: number;
  /** Of what the other end sent: taken in before what it had sent earlier in that chat. */
  heardMisordered: number;
  /** From a kill to the next message that was sent, ms. */
  outages: number[];
  left: string[];
  leftOver: string[];
  strange: string[];
}

interface Row extends Record<string, unknown> {
  text: string;
  status: string;
  error_code: string | null;
  sent_at: Date | null;
}

/** Senders that go on until stopped, over any number of kills; one at a time in each chat. */
function startSenders(base: string, secret: string, routes: Route[], pauseMs: number, strange: string[]) {
  const acknowledged = new Map<string, Route>();
  let sending = true;
  const send = async (route: Route, text: string): Promise<void> => {
    const answer = await fetch(`${base}/api/v1/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ instance_id: route.instance, to: route.to, type: 'text', text: { body: text } }),
      signal: AbortSignal.timeout(20_000),
    }).then(
      async (response) => ({ status: response.status, body: await response.text() }),
      () => null, // the connection broke: it may have been done or not
    );
    if (answer?.status === 202) acknowledged.set(text, route);
    else if (answer && answer.status !== 503) strange.push(`${answer.status} ${answer.body}`);
    await delay(pauseMs);
  };
  const running = Promise.all(
    Array.from({ length: SENDERS }, async (_, sender) => {
      const mine = routes.filter((_route, index) => index % SENDERS === sender);
      for (let n = 0; sending && mine.length; n += 1) {
        const index = routes.indexOf(mine[n % mine.length]!);
        await send(routes[index]!, `line ${index} ${String(n).padStart(6, '0')}`);
      }
    }),
  );
  return {
    acknowledged,
    async stop() {
      sending = false;
      await running;
    },
  };
}

const FINAL = new Set(['sent', 'delivered', 'read', 'failed', 'canceled']);

const outbound = (dataDir: string): Promise<Row[]> =>
  query<Row>(
    dataDir,
    `select content ->> 'body' as text, status, error_code, sent_at from messages
     where direction = 'outbound' and source = 'api' and content ->> 'body' like 'line %'`,
  );

/** What is left to do, in words. */
async function leftToDo(dataDir: string): Promise<string[]> {
  const [row] = await query<Record<string, number>>(
    dataDir,
    `select (select count(*) from outbox)::int as "events not sequenced",
            (select count(*) from send_queue)::int as "queued",
            (select coalesce(sum(length), 0) from instance_queues)::int as "messages counted as queued",
            (select count(*) from messages where status in ('queued', 'sending'))::int as "messages not ended"`,
  );
  return Object.entries(row!).flatMap(([what, count]) => (count ? [`${count} ${what}`] : []));
}

async function compare(
  world: MessagingWorld,
  dataDir: string,
  routes: Route[],
  acknowledged: Map<string, Route>,
  report: MessagingReport,
): Promise<void> {
  const rows = new Map((await outbound(dataDir)).map((row) => [row.text, row]));
  report.acknowledged = acknowledged.size;
  report.unanswered = [...rows.keys()].filter((text) => !acknowledged.has(text)).length;
  report.unknown = [...rows.values()].filter((row) => row.error_code === 'delivery_unknown').length;
  const there = new Map<string, number>();
  for (const route of routes) {
    const prefix = `line ${routes.indexOf(route)} `;
    const texts = (await world.received(route, dataDir)).filter((text) => text.startsWith(prefix));
    const firsts = [...new Set(texts)];
    report.misordered += firsts.filter((text, index) => index > 0 && text < firsts[index - 1]!).length;
    for (const text of texts) there.set(text, (there.get(text) ?? 0) + 1);
  }
  for (const text of acknowledged.keys()) {
    const row = rows.get(text);
    if (!row || !FINAL.has(row.status)) report.unfinished.push(`${text}: ${row?.status ?? 'no row'}`);
    else if (row.status === 'failed' && row.error_code !== 'delivery_unknown')
      report.unfinished.push(`${text}: failed, ${row.error_code}`);
    if (!there.has(text) && row?.error_code !== 'delivery_unknown') report.lost += 1;
  }
  report.doubled = [...there.values()].filter((times) => times > 1).length;
}

/** What the other end said against what was taken in. */
async function compareHeard(dataDir: string, spoken: string[], report: MessagingReport): Promise<void> {
  const rows = await query<{ text: string; times: number }>(
    dataDir,
    `select content ->> 'body' as text, count(*)::int as times from messages
     where direction = 'inbound' and content ->> 'body' like 'said %' group by 1`,
  );
  const heard = new Map(rows.map(({ text, times }) => [text, times]));
  report.spoken = spoken.length;
  report.unheard = spoken.filter((text) => !heard.has(text)).length;
  report.heardTwice = [...heard.values()].filter((times) => times > 1).length;
  const [order] = await query<{ count: number }>(
    dataDir,
    `select count(*)::int as count from (
       select n < lag(n) over (partition by chat_id order by sequence) as is_late from (
         select chat_id, sequence, substr(content ->> 'body', 6)::int as n from messages
         where direction = 'inbound' and content ->> 'body' ~ '^said [0-9]+$') as said) as compared
     where is_late`,
  );
  report.heardMisordered = order!.count;
}

/**
 * @param dataDir an empty folder.
 * @param random gives 0 up to 1.
 * @param tell is told of each kill.
 * @param channelKills how often, meanwhile, what the channel runs on is killed.
 */
export async function messagingRounds(
  world: MessagingWorld,
  dataDir: string,
  kills: number,
  {
    random = Math.random,
    report: tell = () => {},
    channelKills = 0,
  }: { random?: () => number; report?: (line: string) => void; channelKills?: number } = {},
): Promise<MessagingReport> {
  const report: MessagingReport = {
    ...noKills(),
    channelKills: 0,
    acknowledged: 0,
    unfinished: [],
    lost: 0,
    doubled: 0,
    unknown: 0,
    misordered: 0,
    unanswered: 0,
    spoken: 0,
    unheard: 0,
    heardTwice: 0,
    heardMisordered: 0,
    outages: [],
    left: [],
    leftOver: [],
    strange: [],
  };
  const env = { LOG_LEVEL: 'warn', ...world.env };
  const killChannel = async (): Promise<void> => {
    await delay(random() * MAX_MS);
    await world.killChannel!();
    report.channelKills += 1;
    tell('what the channel runs on was killed');
  };
  const target = await startTarget({ dataDir, env, longestMs: MAX_MS, counts: report, random, report: tell });
  try {
    const account = await openAccount(target.base);
    const { secret } = await account.createKey();
    const routes = await world.open(account);
    const senders = startSenders(target.base, secret, routes, world.pauseMs, report.strange);
    const talking = world.talk?.(routes);
    try {
      while (killedIn(report) < kills) {
        const isDue = report.channelKills * kills <= killedIn(report) * channelKills;
        const channelKilled = isDue && report.channelKills < channelKills ? killChannel() : null;
        const { victim, at } = await target.strike(kills - killedIn(report));
        await channelKilled;
        const killedAt = new Date(Date.now() - (performance.now() - at));
        const deadline = performance.now() + DRAINED_WITHIN_MS;
        const isSending = async (): Promise<boolean> =>
          (await outbound(dataDir)).some(({ sent_at: sentAt }) => sentAt !== null && sentAt > killedAt);
        while (!(await isSending().catch(() => false)) && performance.now() < deadline) await delay(50);
        report.outages.push(performance.now() - at);
        tell(
          `${killedIn(report)} killed, last ${victim}: sending again after ${(performance.now() - at).toFixed(0)} ms; ${senders.acknowledged.size} acknowledged`,
        );
      }
      await goOnUntil(`${ENOUGH.sent} are acknowledged`, () => senders.acknowledged.size > ENOUGH.sent);
      if (talking) await goOnUntil(`${ENOUGH.said} are said`, () => talking.count() > ENOUGH.said);
    } finally {
      await senders.stop();
    }
    const spoken = (await talking?.stop()) ?? [];
    const deadline = performance.now() + DRAINED_WITHIN_MS;
    for (;;) {
      report.left = await leftToDo(dataDir);
      if (!report.left.length || performance.now() > deadline) break;
      await delay(200);
    }
    // What was sent may be on its way to the other end, and what that one sent on its way here.
    for (;;) {
      Object.assign(report, { unfinished: [], lost: 0, doubled: 0, misordered: 0 });
      await compare(world, dataDir, routes, senders.acknowledged, report);
      await compareHeard(dataDir, spoken, report);
      const faults = (await world.faults?.()) ?? [];
      const isDone = report.lost === 0 && report.unheard === 0 && faults.length === 0;
      if (!isDone && performance.now() < deadline) await delay(500);
      else {
        report.strange.push(...faults);
        break;
      }
    }
  } finally {
    await world.close();
    report.leftOver = await target.end();
  }
  return report;
}
