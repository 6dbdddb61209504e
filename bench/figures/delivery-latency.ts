/** Events at an even rate: from the commit to the receiver, and what it costs in SQL. */
import { getCpu } from '../../test/support/processes.ts';
import { type Bench } from '../support/figure.ts';
import { type DeliveryWorld, openDeliveryWorld } from '../support/delivery-world.ts';
import { percentile } from '../../test/support/percentile.ts';

/** Asked for; and so that any machine bears it. */
const RATES = { whole: 1_000, quick: 100 };
const STEP = 500;
const MAX_P50 = 50;
const MAX_P99 = 500;
const HOLDS_P99 = 1_000;
const MAX_STATEMENTS = 4;

interface Offered {
  rate: number;
  p50: number;
  p99: number;
  longest: number;
  missing: number;
  doubles: number;
  /** Deliveries that waited when the last event was committed. */
  waiting: number;
  statements: number;
  cpu: number;
  /** Committed a second: less than the rate where the machine can't even write so many. */
  committed: number;
}

async function offer(world: DeliveryWorld, rate: number, seconds: number): Promise<Offered> {
  const [statements, cpu] = [
    await world.metric('fairlead_database_statements_total'),
    getCpu([world.product.pid]),
  ];
  const began = performance.now();
  const committed = await world.offer(rate, seconds);
  const took = (performance.now() - began) / 1000;
  const waiting = await world.metric('fairlead_deliveries_waiting');
  await world.drained();
  const events = committed.size;
  const sent = (await world.metric('fairlead_database_statements_total')) - statements;
  const used = getCpu([world.product.pid]) - cpu;
  const arrivals = await world.arrivals();
  const first = new Map<string, number>();
  for (const { event, at } of arrivals) if (!first.has(event)) first.set(event, at);
  const waits = [...committed].flatMap(([event, at]) => (first.has(event) ? [first.get(event)! - at] : []));
  return {
    rate,
    p50: percentile(waits, 0.5),
    p99: percentile(waits, 0.99),
    longest: percentile(waits, 1),
    missing: events - waits.length,
    doubles: arrivals.length - first.size,
    waiting,
    statements: sent / events,
    cpu: (used * 1000) / events,
    committed: events / took,
  };
}

const holds = (one: Offered): boolean =>
  one.p99 < HOLDS_P99 && one.missing === 0 && one.committed > 0.98 * one.rate;

export const deliveryLatency: Bench = async ({ quick, report }) => {
  const seconds = quick ? 2 : 60;
  const base = quick ? RATES.quick : RATES.whole;
  await using world = await openDeliveryWorld();
  await world.subscribe('/hook', { concurrency: 64 });
  await offer(world, quick ? base : 200, quick ? 1 : 3);
  const runs: Offered[] = [];
  for (let rate = base; ; rate += STEP) {
    const run = await offer(world, rate, seconds).catch((error: unknown) => {
      if (!runs.length) throw error;
      // The writer itself could not commit so many.
      report(`deliveries at ${rate}/s: ${String(error)}`);
      return null;
    });
    if (!run) break;
    runs.push(run);
    report(
      `deliveries at ${rate}/s: p50 ${run.p50.toFixed(1)} ms, p99 ${run.p99.toFixed(1)} ms, ${run.statements.toFixed(2)} statements, committed ${run.committed.toFixed(0)}/s, waiting ${run.waiting}`,
    );
    if (quick || !holds(run) || rate >= 10 * base) break;
  }
  const asked = runs[0]!;
  const best = runs.findLast(holds);
  return {
    title: 'Events to a receiver, at an even rate',
    method: `Events of about 800 bytes, one per transaction, written by another process in the same way as an API process, for ${seconds} s at each rate; one webhook to a receiver on loopback that immediately responds with 200. Time from just before the commit to the arrival of the request. Statements are those of the serving process, including BEGIN, COMMIT and polling, without the writer's own three. CPU is that of the serving process, without PostgreSQL.`,
    columns: [
      'events/s',
      'p50 ms',
      'p99 ms',
      'longest ms',
      'waiting at the end',
      'missing',
      'doubles',
      'statements/event',
      'CPU µs/event',
    ],
    rows: runs.map((run) => [
      `${run.rate}${run.committed > 0.98 * run.rate ? '' : ` (${run.committed.toFixed(0)} written)`}`,
      run.p50.toFixed(1),
      run.p99.toFixed(1),
      run.longest.toFixed(0),
      run.waiting,
      run.missing,
      run.doubles,
      run.statements.toFixed(2),
      run.cpu.toFixed(0),
    ]),
    targets: [
      {
        text: `p50 ${asked.p50.toFixed(1)} ms at ${base}/s (target: less than ${MAX_P50}).`,
        met: asked.p50 < MAX_P50,
      },
      {
        text: `p99 ${asked.p99.toFixed(1)} ms at ${base}/s (target: less than ${MAX_P99}).`,
        met: asked.p99 < MAX_P99,
      },
      {
        text: `${asked.statements.toFixed(2)} statements an event (target: at most ${MAX_STATEMENTS}).`,
        met: asked.statements <= MAX_STATEMENTS,
      },
      { text: `every event arrived, ${asked.doubles} twice.`, met: asked.missing === 0, always: true },
      {
        text: `${best ? `${best.rate}/s` : 'no rate'} is the highest tried that holds for ${seconds} s with a p99 under ${HOLDS_P99} ms.`,
        met: best !== undefined,
      },
    ],
  };
};
