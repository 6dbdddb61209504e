/** Clicks at an even rate: from the redirect to `link.clicked` at a webhook. */
import { Agent, get } from 'node:http';
import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { succeeded } from '../../test/support/account.ts';
import { getCpu } from '../../test/support/processes.ts';
import type { Bench } from '../support/figure.ts';
import { type DeliveryWorld, openDeliveryWorld } from '../support/delivery-world.ts';
import { percentile } from '../../test/support/percentile.ts';

const RATE = 1_000;
const MAX_P99 = 1_000;
const CONNECTIONS = 64;
/** Of the webhook. */
const CONCURRENCY = 200;
const ARRIVES_WITHIN_MS = 60_000;
const AGENT =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1';

const wallClock = (): number => performance.timeOrigin + performance.now();

/** @returns when the redirect was answered, ms since 1970. Rejects for any other answer. */
function click(url: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers: { 'user-agent': AGENT } }, (response) => {
      const at = wallClock();
      response.resume();
      if (response.statusCode === 302) response.on('end', () => resolve(at)).on('error', reject);
      else reject(new Error(`${url}: ${response.statusCode}`));
    }).on('error', reject);
  });
}

/** Clicks at an even rate, whatever the answers. @returns number of the click → when it was answered */
async function clickEvenly(url: string, perSecond: number, seconds: number): Promise<Map<string, number>> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const answered = new Map<string, number>();
  const underWay = new Set<Promise<void>>();
  const faults: unknown[] = [];
  const began = performance.now();
  for (let sent = 0; sent < perSecond * seconds;) {
    const due = Math.min(perSecond * seconds, ((performance.now() - began) / 1000) * perSecond);
    for (; sent < due; sent++) {
      const name = String(sent);
      const one = click(`${url}?utm_content=${name}`, agent).then(
        (at) => void answered.set(name, at),
        (error: unknown) => void faults.push(error),
      );
      underWay.add(one);
      void one.finally(() => underWay.delete(one));
    }
    await delay(1);
  }
  await Promise.all(underWay);
  agent.destroy();
  if (faults.length) throw new Error(`${faults.length} clicks failed`, { cause: faults[0] });
  return answered;
}

async function run(world: DeliveryWorld, url: string, seconds: number) {
  const cpu = getCpu([world.product.pid]);
  const began = performance.now();
  const answered = await clickEvenly(url, RATE, seconds);
  const took = (performance.now() - began) / 1000;
  const [unloaded, undelivered] = [
    await world.metric('fairlead_clicks_lag_seconds'),
    await world.metric('fairlead_deliveries_waiting'),
  ];
  const arrived = new Map<string, number>();
  let arrivals = 0;
  const until = performance.now() + ARRIVES_WITHIN_MS;
  while (arrived.size < answered.size && performance.now() < until) {
    for (const { content, at } of await world.arrivals()) {
      arrivals++;
      if (!arrived.has(content!)) arrived.set(content!, at);
    }
    await delay(100);
  }
  const waits = [...answered].flatMap(([name, at]) => (arrived.has(name) ? [arrived.get(name)! - at] : []));
  return {
    clicks: answered.size,
    rate: answered.size / took,
    /** At the end of the clicks: how long the oldest waited that was not loaded, in s; deliveries that waited. */
    unloaded,
    undelivered,
    p50: percentile(waits, 0.5),
    p99: percentile(waits, 0.99),
    longest: percentile(waits, 1),
    missing: answered.size - waits.length,
    doubles: arrivals - arrived.size,
    cpu: ((getCpu([world.product.pid]) - cpu) * 1000) / answered.size,
  };
}

export const linkClicked: Bench = async ({ quick, report }) => {
  const seconds = quick ? 2 : 60;
  await using world = await openDeliveryWorld();
  await world.subscribe('/clicks', { events: ['link.clicked'], concurrency: CONCURRENCY });
  const made = await succeeded(
    await world.account.call('POST', '/links', { url: 'https://shop.example.com/spring' }),
  );
  const { slug } = (await made.json()) as { slug: string };
  const url = `http://127.0.0.1:${world.product.port}/${slug}`;
  await run(world, url, quick ? 1 : 3);
  const one = await run(world, url, seconds);
  report(
    `link.clicked: p50 ${one.p50.toFixed(0)} ms, p99 ${one.p99.toFixed(0)} ms, ${one.missing} missing; at the end clicks of ${one.unloaded.toFixed(1)} s were not loaded, ${one.undelivered} deliveries waited`,
  );
  return {
    title: '`link.clicked` at a webhook',
    method: `${RATE} clicks a second on one link for ${seconds} s, \`CLICK_SYNC=fdatasync\`, one process; one webhook (\`concurrency\` ${CONCURRENCY}) to a receiver on loopback that immediately responds with 200. Time from the response to the click to the arrival of its event. Server, PostgreSQL, clicks and receiver share all cores. CPU is that of the serving process, without PostgreSQL. The machine's load average was ${loadavg()[0]!.toFixed(1)} at the end, including other work.`,
    columns: ['clicks/s', 'p50 ms', 'p99 ms', 'longest ms', 'missing', 'doubles', 'CPU µs/click'],
    rows: [
      [
        one.rate.toFixed(0),
        one.p50.toFixed(0),
        one.p99.toFixed(0),
        one.longest.toFixed(0),
        one.missing,
        one.doubles,
        one.cpu.toFixed(0),
      ],
    ],
    targets: [
      {
        text: `p99 ${one.p99.toFixed(0)} ms at ${one.rate.toFixed(0)} clicks/s (target: less than ${MAX_P99} at ${RATE}). When the clicks ended, the oldest that was not loaded had waited for ${one.unloaded.toFixed(1)} s, and ${one.undelivered} deliveries waited.`,
        met: one.p99 < MAX_P99 && one.rate > 0.98 * RATE,
      },
      { text: `every click arrived, ${one.doubles} twice.`, met: one.missing === 0, always: true },
    ],
  };
};
