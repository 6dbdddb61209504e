/**
 * The whole product killed again and again at random instants while a producer makes changes through HTTP and three
 * webhooks are sent to: one that gets everything, one that keeps the order of each object, and one that has two slots.
 * Producer and receivers live outside the product; receivers fail now and then, and sometimes never answer. A user
 * retries what waits for long, by `POST /deliveries/{id}/retry`, and by nothing else.
 *
 * What must hold: every acknowledged change has one event, and every webhook that wanted it received it at least once,
 * under the ID of the event; in order where that was asked for; every delivery ends, and nothing stays claimed.
 * A change whose answer was lost in a kill may have happened or not; if it did, its event must arrive as well.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { openAccount, succeeded } from './account.ts';
import {
  type Call,
  getCaller,
  CHANGE,
  type Producer,
  SCOPES,
  startProducer,
  startUser,
} from './delivery-callers.ts';
import { doublesIn, type Heard, misorderedIn, startListening } from './delivery-receivers.ts';
import { goOnUntil, type KillCounts, killedIn, noKills, query, startTarget } from './killing.ts';

/** Without this many acknowledged changes, a run proves too little. */
export const ENOUGH = 10;
const KEYS = 40;
/** From the end of the last kill until everything must have been received. */
const DRAINED_WITHIN_MS = 120_000;

/** Longest time from a ready server to its kill. */
const MAX_MS = 2_000;

export interface DeliveryReport extends KillCounts {
  /** Changes that were answered with 2xx. */
  acknowledged: number;
  /** Changes whose answer never came, but that happened. */
  unanswered: number;
  /** Pairs of an event in the log and a webhook that wants it, and how many of them were received. */
  wanted: number;
  received: number;
  /** Acknowledged changes without exactly one event, and those pairs that were not received. */
  lost: number;
  /** Requests that came in all, and those that came after the same event had been answered with 2xx already. */
  requests: number;
  doubles: number;
  /** Events that were received before an earlier one of their object had been answered with 2xx. */
  misordered: number;
  /** Deliveries that did not end as succeeded, and what else is left of the queue. */
  unfinished: string[];
  /** Retries that the user asked for and was granted. */
  retried: number;
  /** From a kill to the next request that any receiver got, ms. */
  outages: number[];
  leftOver: string[];
  strange: string[];
}

interface LogEntry {
  id: string;
  type: string;
  data: { object: { id?: string; name?: string; webhook_id?: string } };
}

async function readLog(call: Call): Promise<LogEntry[]> {
  const log: LogEntry[] = [];
  for (let after = 0; ;) {
    const page = await call('GET', `/events?after_sequence=${after}&limit=100`);
    if (page?.status !== 200) throw new Error(`the log can't be read: ${JSON.stringify(page)}`);
    const data = page.body.data as unknown as (LogEntry & { sequence: number })[];
    if (!data.length) return log;
    log.push(...data);
    after = data.at(-1)!.sequence;
  }
}

/** What is left of the queue, in words. */
async function leftInQueue(dataDir: string): Promise<string[]> {
  const [row] = await query<Record<string, number>>(
    dataDir,
    `select (select count(*) from outbox)::int as "events not sequenced",
            (select count(*) from delivery_queue)::int as "queued deliveries",
            (select count(*) from delivery_queue where claimed_by is not null)::int as "claimed deliveries",
            (select count(*) from delivery_queue where due_at = 'infinity')::int as "deliveries waiting for others",
            (select count(*) from deliveries where status <> 'succeeded')::int as "deliveries that did not succeed",
            (select count(*) from receiver_wakes)::int as "wakes",
            (select coalesce(sum(in_flight), 0) from receivers)::int as "slots in use"`,
  );
  return Object.entries(row!).flatMap(([what, count]) => (count ? [`${count} ${what}`] : []));
}

interface Subscriber {
  webhookId: string;
  wants: (type: string) => boolean;
  heard: Heard;
}

/** The events that a webhook must have got: from its own creation on, and the pings that were for it. */
function wantedBy(log: LogEntry[], { webhookId, wants }: Subscriber): LogEntry[] {
  const since = log.findIndex(({ type, data }) => type === 'webhook.created' && data.object.id === webhookId);
  return log
    .slice(since + 1)
    .filter(({ type, data }) => (type === 'ping' ? data.object.webhook_id === webhookId : wants(type)));
}

function compare(
  log: LogEntry[],
  acknowledged: Producer['acknowledged'],
  subscribers: Subscriber[],
  report: DeliveryReport,
): void {
  const byName = Map.groupBy(log, ({ data }) => data.object.name ?? '');
  const ids = new Set(log.map(({ id }) => id));
  report.acknowledged = acknowledged.size;
  for (const [name, eventId] of acknowledged)
    if (eventId === null ? byName.get(name)?.length !== 1 : !ids.has(eventId)) report.lost += 1;
  report.unanswered = [...byName.keys()].filter(
    (name) => name.startsWith(CHANGE) && !acknowledged.has(name),
  ).length;
  for (const subscriber of subscribers) {
    const wanted = wantedBy(log, subscriber);
    const got = wanted.filter(({ id }) =>
      subscriber.heard.get(id)?.requests.some(({ status }) => status === 200),
    );
    report.wanted += wanted.length;
    report.received += got.length;
    report.lost += wanted.length - got.length;
    for (const [id, event] of subscriber.heard) {
      report.requests += event.requests.length;
      report.doubles += doublesIn(event);
      if (!ids.has(id)) report.strange.push(`${id} was sent and is not in the log`);
    }
  }
}

/**
 * @param dataDir an empty folder.
 * @param random gives 0 up to 1.
 * @param tell is told of each kill.
 */
export async function deliveryRounds(
  dataDir: string,
  kills: number,
  {
    random = Math.random,
    report: tell = () => {},
  }: { random?: () => number; report?: (line: string) => void } = {},
): Promise<DeliveryReport> {
  const report: DeliveryReport = {
    ...noKills(),
    acknowledged: 0,
    unanswered: 0,
    wanted: 0,
    received: 0,
    lost: 0,
    requests: 0,
    doubles: 0,
    misordered: 0,
    unfinished: [],
    retried: 0,
    outages: [],
    leftOver: [],
    strange: [],
  };
  const env = { EGRESS_ALLOW: '127.0.0.1', LOG_LEVEL: 'warn' };
  const target = await startTarget({ dataDir, env, longestMs: MAX_MS, counts: report, random, report: tell });
  const listening = {
    all: await startListening({ fails: 0.1, hangs: 0.01, random }),
    ordered: await startListening({ fails: 0.04, hangs: 0.004, random }),
    narrow: await startListening({ fails: 0.1, hangs: 0.03, random }),
  };
  const receivers = Object.values(listening);
  try {
    const account = await openAccount(target.base);
    const { secret } = await account.createKey({ preset: undefined, scopes: SCOPES });
    const keys: string[] = [];
    for (let n = 0; n < KEYS; n += 1)
      keys.push((await account.createKey({ preset: undefined, scopes: ['events:read'] })).id);
    const call = getCaller(target.base, secret);
    const subscribe = async (name: keyof typeof listening, fields: object): Promise<string> => {
      const answer = await account.call('POST', '/webhooks', { url: listening[name].url, ...fields });
      return ((await (await succeeded(answer)).json()) as { id: string }).id;
    };
    const webhooks = {
      all: await subscribe('all', { events: ['*'] }),
      ordered: await subscribe('ordered', { events: ['api_key.*'], ordering: 'per_resource' }),
      narrow: await subscribe('narrow', { events: ['workspace.updated'], concurrency: 2 }),
    };
    const user = startUser(call, Object.values(webhooks), report);
    const about = { workspace: account.workspace, keys, pinged: webhooks.narrow };
    const producer = startProducer(call, about, report.strange);
    try {
      while (killedIn(report) < kills) {
        const { victim, at, readyAt } = await target.strike(kills - killedIn(report));
        const deadline = performance.now() + DRAINED_WITHIN_MS;
        const next = () => Math.min(...receivers.map((receiver) => receiver.nextAfter(at)));
        while (next() === Number.POSITIVE_INFINITY && performance.now() < deadline) await delay(10);
        report.outages.push(next() - at);
        tell(
          `${killedIn(report)} killed, last ${victim}: ready after ${(readyAt - at).toFixed(0)} ms, next request after ${(next() - at).toFixed(0)} ms; ${producer.acknowledged.size} acknowledged`,
        );
      }
      await goOnUntil(`${ENOUGH} are acknowledged`, () => producer.acknowledged.size > ENOUGH);
    } finally {
      await producer.stop();
    }
    for (const receiver of receivers) receiver.calm();
    const deadline = performance.now() + DRAINED_WITHIN_MS;
    for (;;) {
      report.unfinished = await leftInQueue(dataDir);
      if (!report.unfinished.length || performance.now() > deadline) break;
      await delay(200);
    }
    await user.stop();
    tell(`drained after ${(DRAINED_WITHIN_MS - deadline + performance.now()).toFixed(0)} ms`);

    const log = await readLog(call);
    const wants = {
      all: () => true,
      ordered: (type: string) => type.startsWith('api_key.'),
      narrow: (type: string) => type === 'workspace.updated',
    };
    const subscribers = (['all', 'ordered', 'narrow'] as const).map((name) => ({
      webhookId: webhooks[name],
      wants: wants[name],
      heard: listening[name].heard,
    }));
    compare(log, producer.acknowledged, subscribers, report);
    report.misordered = misorderedIn(listening.ordered.heard);
  } finally {
    for (const receiver of receivers) await receiver.close();
    report.leftOver = await target.end();
  }
  return report;
}

/** What is wrong with a report, in words; empty when nothing is. */
export function getErrors(report: DeliveryReport): string[] {
  const { acknowledged, wanted, lost, misordered, unfinished, failedStarts, leftOver, strange } = report;
  const faults: [boolean, string][] = [
    [acknowledged === 0 || wanted === 0, 'nothing was acknowledged, or nothing was to be received'],
    [lost > 0, `${lost} lost`],
    [misordered > 0, `${misordered} came before an earlier event of their object was received`],
    [unfinished.length > 0, `left: ${unfinished.join(', ')}`],
    [failedStarts > 0, `${failedStarts} failed starts`],
    [leftOver.length > 0, `left over: ${leftOver.join('; ')}`],
    [strange.length > 0, `strange: ${[...new Set(strange)].slice(0, 5).join('; ')}`],
  ];
  return faults.filter(([is]) => is).map(([, text]) => text);
}
