/**
 * The whole product killed again and again at random instants while links are made, of each of which two rules make something:
 * one sends a message, one calls a webhook, makes a link and sends a message with it. Each link has a name of its own,
 * by which everything that follows from it is known.
 *
 * What must hold: of every link that exists, each rule has one run, which succeeded; its messages were accepted once and came
 * to the other end once; its link was made once; its call came at least once, always under the same ID. Calls that came twice are counted.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { openAccount, succeeded } from './account.ts';
import { goOnUntil, type KillCounts, killedIn, noKills, query, startTarget } from './killing.ts';
import { connectInstance } from './messaging-worlds.ts';

/** Without this many acknowledged links, a run proves too little. */
export const ENOUGH = 5;
const MAX_MS = 2_000;
const DRAINED_WITHIN_MS = 120_000;
const WRITERS = 2;
const PAUSE_MS = 40;

export interface RuleReport extends KillCounts {
  /** Links that are there, and those whose making was acknowledged. */
  links: number;
  acknowledged: number;
  /** Of the links: runs, messages, links and calls that are missing, or there more than once; in words. */
  wrong: string[];
  runs: number;
  /** At the other end. */
  messages: number;
  calls: number;
  /** Calls that came again under the same ID. */
  callsAgain: number;
  /** From the last kill until all was done, ms. */
  drainedMs: number;
  left: string[];
  leftOver: string[];
  strange: string[];
}

/** How often each name was heard of. */
type Tally = Map<string, number>;

const getTally = (rows: readonly { name: string; times: number }[]): Tally =>
  new Map(rows.map(({ name, times }) => [name, times]));

async function startReceiver() {
  const ids = new Map<string, string[]>();
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { name } = JSON.parse(body) as { name: string };
    ids.set(name, [...(ids.get(name) ?? []), String(request.headers['idempotency-key'])]);
    await delay(5);
    response.end('{"ok":true}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    ids,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function startWriters(base: string, secret: string, strange: string[]) {
  const acknowledged = new Set<string>();
  let writing = true;
  const write = async (name: string): Promise<void> => {
    const answer = await fetch(`${base}/api/v1/links`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: 'https://example.com/', title: name, tags: ['line'] }),
      signal: AbortSignal.timeout(20_000),
    }).then(
      async (response) => ({ status: response.status, body: await response.text() }),
      () => null, // the connection broke: it may have been done or not
    );
    if (answer?.status === 201) acknowledged.add(name);
    else if (answer && answer.status !== 503) strange.push(`${answer.status} ${answer.body}`);
    await delay(PAUSE_MS);
  };
  const running = Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      for (let n = 0; writing; n += 1) await write(`line-${writer}-${n}`);
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

async function leftToDo(dataDir: string): Promise<string[]> {
  const [row] = await query<Record<string, number>>(
    dataDir,
    `select (select count(*) from outbox)::int as "events not sequenced",
            (select count(*) from rule_queue)::int as "queued for rules",
            (select count(*) from rule_runs where status = 'running')::int as "runs under way",
            (select count(*) from messages where status in ('queued', 'sending'))::int as "messages not ended",
            (select count(*) from messages o where o.source = 'rule' and not exists (
              select from messages i where i.direction = 'inbound' and i.content ->> 'body' = o.content ->> 'body'
            ))::int as "messages not at the other end"`,
  );
  return Object.entries(row!).flatMap(([what, count]) => (count ? [`${count} ${what}`] : []));
}

const bodies = (dataDir: string, where: string) =>
  query<{ name: string; times: number }>(
    dataDir,
    `select content ->> 'body' as name, count(*)::int as times from messages where ${where} group by 1`,
  ).then(getTally);

async function compare(
  dataDir: string,
  ids: ReadonlyMap<string, string[]>,
  report: RuleReport,
): Promise<void> {
  const links = await query<{ name: string }>(
    dataDir,
    `select title as name from links where title like 'line-%'`,
  );
  report.links = links.length;
  const accepted = await bodies(dataDir, `source = 'rule' and direction = 'outbound'`);
  const arrived = await bodies(dataDir, `direction = 'inbound'`);
  const runs = getTally(
    await query(
      dataDir,
      `select ru.name || ' ' || (e.data #>> '{object,title}') as name, count(*)::int as times
       from rule_runs r join events e on e.id = r.event_id and e.workspace_id = r.workspace_id
       join rules ru on ru.id = r.rule_id and ru.workspace_id = r.workspace_id
       where r.status = 'succeeded' group by 1`,
    ),
  );
  const made = getTally(
    await query(
      dataDir,
      `select substring(url from 'made=(.*)$') as name, count(*)::int as times from links where url like '%made=%' group by 1`,
    ),
  );
  const once = (what: string, name: string, tally: Tally): void => {
    if (tally.get(name) !== 1) report.wrong.push(`${what} of ${name}: ${tally.get(name) ?? 0}`);
  };
  for (const { name } of links) {
    for (const rule of ['plain', 'long']) {
      once('runs', `${rule} ${name}`, runs);
      once('messages accepted', `${rule} ${name}`, accepted);
      once('messages at the other end', `${rule} ${name}`, arrived);
    }
    once('links made', name, made);
    const called = ids.get(name) ?? [];
    if (new Set(called).size !== 1) report.wrong.push(`calls of ${name} under ${new Set(called).size} ids`);
    report.callsAgain += Math.max(0, called.length - 1);
    report.calls += called.length;
  }
  report.runs = [...runs.values()].reduce((sum, times) => sum + times, 0);
  report.messages = [...arrived.values()].reduce((sum, times) => sum + times, 0);
}

/**
 * @param dataDir an empty folder.
 * @param random gives 0 up to 1.
 * @param tell is told of each kill.
 */
export async function ruleRounds(
  dataDir: string,
  kills: number,
  {
    random = Math.random,
    report: tell = () => {},
  }: { random?: () => number; report?: (line: string) => void } = {},
): Promise<RuleReport> {
  const report: RuleReport = {
    ...noKills(),
    links: 0,
    acknowledged: 0,
    wrong: [],
    runs: 0,
    messages: 0,
    calls: 0,
    callsAgain: 0,
    drainedMs: 0,
    left: [],
    leftOver: [],
    strange: [],
  };
  const env = { EGRESS_ALLOW: '127.0.0.1', LOG_LEVEL: 'warn' };
  const receiver = await startReceiver();
  const target = await startTarget({ dataDir, env, longestMs: MAX_MS, counts: report, random, report: tell });
  try {
    const account = await openAccount(target.base);
    const { secret } = await account.createKey();
    const anna = await connectInstance(account, { name: 'anna', channel: 'sandbox' });
    await connectInstance(account, { name: 'bert', channel: 'sandbox' });
    const send = (template: string) => ({ type: 'send_message', instance_id: anna, to: 'bert', template });
    const rule = async (name: string, actions: object[]): Promise<string> => {
      const body = {
        name,
        events: ['link.created'],
        filter: 'event.data.object.tags contains "line"',
        actions,
      };
      const answer = await account.call('POST', '/rules', { ...body, rate_limit: 10_000 });
      return ((await (await succeeded(answer)).json()) as { id: string }).id;
    };
    const title = '{{ event.data.object.title }}';
    const rules = [
      await rule('plain', [send(`plain ${title}`)]),
      await rule('long', [
        { type: 'call_webhook', name: 'tell', url: receiver.url, body: `{"name":"${title}"}` },
        { type: 'create_link', name: 'made', url: `https://example.com/?made=${title}` },
        send(`long ${title}`),
      ]),
    ];
    const writers = startWriters(target.base, secret, report.strange);
    try {
      while (killedIn(report) < kills) {
        const { victim, at, readyAt } = await target.strike(kills - killedIn(report));
        tell(
          `${killedIn(report)} killed, last ${victim}: ready after ${(readyAt - at).toFixed(0)} ms; ${writers.acknowledged.size} links acknowledged`,
        );
      }
      await goOnUntil(`${ENOUGH} are acknowledged`, () => writers.acknowledged.size > ENOUGH);
    } finally {
      await writers.stop();
    }
    const started = performance.now();
    for (;;) {
      report.left = await leftToDo(dataDir);
      report.drainedMs = performance.now() - started;
      if (!report.left.length || report.drainedMs > DRAINED_WITHIN_MS) break;
      await delay(200);
    }
    report.acknowledged = writers.acknowledged.size;
    await compare(dataDir, receiver.ids, report);
    // What the API tells of it is the same.
    for (const id of rules) {
      const answer = await succeeded(await account.call('GET', `/rules/${id}`));
      const { stats } = (await answer.json()) as {
        stats: { succeeded: number; failed: number; stopped: number };
      };
      if (stats.succeeded !== report.links || stats.failed || stats.stopped)
        report.strange.push(`the rule counts ${JSON.stringify(stats)} of ${report.links}`);
    }
  } finally {
    await receiver.close();
    report.leftOver = await target.end();
  }
  return report;
}

/** What is wrong with a report, in words; empty when nothing is. */
export function getErrors(report: RuleReport): string[] {
  const { acknowledged, links, wrong, left, failedStarts, leftOver, strange } = report;
  const faults: [boolean, string][] = [
    [acknowledged === 0, 'nothing was acknowledged'],
    [links < acknowledged, `${acknowledged - links} acknowledged links are not there`],
    [wrong.length > 0, `${wrong.length} wrong: ${wrong.slice(0, 5).join('; ')}`],
    [left.length > 0, `left: ${left.join(', ')}`],
    [failedStarts > 0, `${failedStarts} failed starts`],
    [leftOver.length > 0, `left over: ${leftOver.join('; ')}`],
    [strange.length > 0, `strange: ${[...new Set(strange)].slice(0, 5).join('; ')}`],
  ];
  return faults.filter(([is]) => is).map(([, text]) => text);
}
