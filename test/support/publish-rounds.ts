/**
 * The whole product killed again and again at random instants while senders post to publishing endpoints. Each payload has a
 * text of its own, by which it is known at the two accounts that it is published to: accounts of the same workspace, so that
 * the product itself hears what it sent.
 *
 * What must hold: what was answered 202 is published, at once or a second later, and is heard once by each destination; in
 * the order of the answers; nothing is heard twice, whether it was answered or not; nothing stays waiting.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { toUuid } from '../../src/core/vocabulary/ids.ts';
import { type Account, openAccount, succeeded } from './account.ts';
import { goOnUntil, type KillCounts, killedIn, noKills, query, startTarget } from './killing.ts';
import { connectInstance } from './messaging-worlds.ts';

/** Longest time from a ready server to its kill. */
/** Without this many acknowledged requests, a run proves too little. */
export const ENOUGH = 20;
const MAX_MS = 2_000;
/** From the end of the last kill until everything must have ended. */
const DRAINED_WITHIN_MS = 120_000;
/** Of each sender, after each payload: no faster than the sandbox takes them, or a queue is left that is only slow. */
const PAUSE_MS = 40;
const RECEIVERS = ['dora', 'emil'];

export interface PublishReport extends KillCounts {
  acknowledged: number;
  /** Of the acknowledged: not published, in words. */
  unfinished: string[];
  /** Destinations that did not hear what was acknowledged, and that heard something twice. */
  lost: number;
  doubled: number;
  /** Heard before what the same sender had been answered for earlier. */
  misordered: number;
  /** Published although nobody was answered. */
  unanswered: number;
  left: string[];
  leftOver: string[];
  strange: string[];
}

interface Way {
  url: string;
  headers: Record<string, string>;
}

interface Accounts {
  ways: Way[];
  receivers: string[];
}

/** Two endpoints with the same two destinations: one publishes at once, by key; the other a second later, by its address. */
async function prepare(account: Account, base: string, secret: string): Promise<Accounts> {
  const sender = await connectInstance(account, { name: 'anna', channel: 'sandbox' });
  const receivers: string[] = [];
  for (const name of RECEIVERS) receivers.push(await connectInstance(account, { name, channel: 'sandbox' }));
  const destinations = RECEIVERS.map((to) => ({
    instance_id: sender,
    to,
    template: 'line {{ payload.text }}',
  }));
  const make = async (body: object): Promise<string> => {
    const given = { name: 'rounds', destinations, ...body };
    const made = await succeeded(await account.call('POST', '/publishing-endpoints', given));
    return ((await made.json()) as { url: string }).url.replace(/^https?:\/\/[^/]+/, base);
  };
  const json = { 'content-type': 'application/json' };
  return {
    ways: [
      {
        url: await make({ auth: { type: 'bearer' } }),
        headers: { ...json, authorization: `Bearer ${secret}` },
      },
      {
        url: await make({ auth: { type: 'secret_url' }, schedule: { delay_seconds: 1 } }),
        headers: json,
      },
    ],
    receivers,
  };
}

/** Two senders for each way, each one payload after the other, over any number of kills. */
function startSenders(ways: readonly Way[], strange: string[]) {
  /** Text → the publication that it was answered with. */
  const acknowledged = new Map<string, string>();
  let sending = true;
  const post = async ({ url, headers }: Way, text: string): Promise<void> => {
    const answer = await fetch(url, {
      method: 'POST',
      headers,
      body: JSON.stringify({ text }),
      signal: AbortSignal.timeout(20_000),
    }).then(
      async (response) => ({ status: response.status, body: await response.text() }),
      () => null, // the connection broke: it may have been done or not
    );
    if (answer?.status === 202) acknowledged.set(text, (JSON.parse(answer.body) as { id: string }).id);
    else if (answer && answer.status !== 503) strange.push(`${answer.status} ${answer.body}`);
    await delay(PAUSE_MS);
  };
  const running = Promise.all(
    [...ways, ...ways].map(async (way, sender) => {
      for (let n = 0; sending; n += 1) await post(way, `${sender} ${String(n).padStart(6, '0')}`);
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

/** What is left to do, in words. */
async function leftToDo(dataDir: string): Promise<string[]> {
  const [row] = await query<Record<string, number>>(
    dataDir,
    `select (select count(*) from outbox)::int as "events not sequenced",
            (select count(*) from publication_queue)::int as "publications in the queue",
            (select count(*) from publication_news)::int as "words of messages not taken",
            (select count(*) from publications where finished_at is null)::int as "publications not ended",
            (select count(*) from send_queue)::int as "messages queued"`,
  );
  return Object.entries(row!).flatMap(([what, count]) => (count ? [`${count} ${what}`] : []));
}

async function compare(
  dataDir: string,
  receivers: readonly string[],
  acknowledged: ReadonlyMap<string, string>,
  report: PublishReport,
): Promise<void> {
  const publications = new Map(
    (
      await query<{ id: string; text: string; status: string; results: number }>(
        dataDir,
        `select p.id, i.payload ->> 'text' as text, p.status, (
           select count(*)::int from publication_results r
           where r.publication_id = p.id and r.message_id is not null and r.status in ('sent', 'delivered', 'read')
         ) as results
         from publications p join publication_inputs i on i.publication_id = p.id`,
      )
    ).map((row) => [row.id, row]),
  );
  report.acknowledged = acknowledged.size;
  report.unanswered = publications.size - acknowledged.size;
  for (const [text, id] of acknowledged) {
    const row = publications.get(toUuid('publication', id)!);
    if (row?.text !== text || row.status !== 'published' || row.results !== RECEIVERS.length)
      report.unfinished.push(`${text}: ${row ? `${row.status}, ${row.results} sent` : 'no row'}`);
  }
  for (const receiver of receivers) {
    const heard = (
      await query<{ text: string }>(
        dataDir,
        `select substr(content ->> 'body', 6) as text from messages
         where direction = 'inbound' and instance_id = '${toUuid('instance', receiver)}'
           and content ->> 'body' like 'line %' order by sequence`,
      )
    ).map(({ text }) => text);
    const distinct = new Set(heard);
    report.doubled += heard.length - distinct.size;
    for (const text of acknowledged.keys()) if (!distinct.has(text)) report.lost += 1;
    for (const own of Map.groupBy(heard, (text) => text.split(' ')[0]).values())
      report.misordered += own.filter((text, nth) => nth > 0 && text < own[nth - 1]!).length;
  }
}

/**
 * @param dataDir an empty folder.
 * @param random gives 0 up to 1.
 * @param tell is told of each kill.
 */
export async function publishRounds(
  dataDir: string,
  kills: number,
  {
    random = Math.random,
    report: tell = () => {},
  }: { random?: () => number; report?: (line: string) => void } = {},
): Promise<PublishReport> {
  const report: PublishReport = {
    ...noKills(),
    acknowledged: 0,
    unfinished: [],
    lost: 0,
    doubled: 0,
    misordered: 0,
    unanswered: 0,
    left: [],
    leftOver: [],
    strange: [],
  };
  const env = { LOG_LEVEL: 'warn' };
  const target = await startTarget({ dataDir, env, longestMs: MAX_MS, counts: report, random, report: tell });
  try {
    const account = await openAccount(target.base);
    const { secret } = await account.createKey();
    const { ways, receivers } = await prepare(account, target.base, secret);
    const senders = startSenders(ways, report.strange);
    try {
      while (killedIn(report) < kills) {
        const { victim } = await target.strike(kills - killedIn(report));
        tell(`${killedIn(report)} killed, last ${victim}; ${senders.acknowledged.size} acknowledged`);
      }
      await goOnUntil(`${ENOUGH} are acknowledged`, () => senders.acknowledged.size > ENOUGH);
    } finally {
      await senders.stop();
    }
    const deadline = performance.now() + DRAINED_WITHIN_MS;
    for (;;) {
      report.left = await leftToDo(dataDir);
      if (!report.left.length || performance.now() > deadline) break;
      await delay(200);
    }
    // What was sent may be on its way to the other end.
    for (;;) {
      Object.assign(report, { unfinished: [], lost: 0, doubled: 0, misordered: 0 });
      await compare(dataDir, receivers, senders.acknowledged, report);
      if (report.lost === 0 || performance.now() > deadline) break;
      await delay(500);
    }
  } finally {
    report.leftOver = await target.end();
  }
  return report;
}

/** What is wrong with a report, in words; empty when nothing is. */
export function faultsOfPublishing(report: PublishReport): string[] {
  const { acknowledged, unfinished, lost, doubled, misordered, left, leftOver, strange } = report;
  const faults: [boolean, string][] = [
    [acknowledged === 0, 'nothing was acknowledged'],
    [unfinished.length > 0, `${unfinished.length} not published: ${unfinished.slice(0, 5).join('; ')}`],
    [lost > 0, `${lost} lost`],
    [doubled > 0, `${doubled} doubled`],
    [misordered > 0, `${misordered} before an earlier one`],
    [left.length > 0, `left: ${left.join(', ')}`],
    [report.failedStarts > 0, `${report.failedStarts} failed starts`],
    [leftOver.length > 0, `left over: ${leftOver.join('; ')}`],
    [strange.length > 0, `strange: ${[...new Set(strange)].slice(0, 5).join('; ')}`],
  ];
  return faults.filter(([is]) => is).map(([, text]) => text);
}
