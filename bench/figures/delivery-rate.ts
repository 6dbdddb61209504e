/** A backlog that is sent as fast as it goes, against a bare loop that posts the same bytes to the same receiver. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { getCpu } from '../../test/support/processes.ts';
import { succeeded } from '../../test/support/account.ts';
import { toUuid } from '../../src/core/vocabulary/ids.ts';
import { type Bench, median } from '../support/figure.ts';
import { openDeliveryWorld } from '../support/delivery-world.ts';

const CONCURRENCY = 200;
const MIN_RATIO = 0.5;

async function bare(url: string, count: number, posted: object): Promise<number> {
  const child = spawn(
    process.execPath,
    ['bench/support/bare-poster.ts', url, String(count), String(CONCURRENCY)],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  child.stdin.end(JSON.stringify(posted));
  return count / Number(await text(child.stdout));
}

export const deliveryRate: Bench = async ({ quick, report }) => {
  const count = quick ? 1_000 : 30_000;
  const rounds = quick ? 1 : 5;
  await using world = await openDeliveryWorld();
  const webhook = await world.subscribe('/hook', { concurrency: CONCURRENCY });
  const id = toUuid('webhook', webhook);
  const slots = (n: number) =>
    world.query('update receivers set slots = $2, next_due_at = now() where id = $1', [id, n]);

  const ours = async (): Promise<{ rate: number; cpu: number }> => {
    await slots(0);
    await world.pour(count);
    for (;;) {
      const [row] = await world.query<{ n: number }>('select count(*)::int as n from outbox');
      if (row!.n === 0) break;
    }
    const cpu = getCpu([world.product.pid]);
    const began = performance.timeOrigin + performance.now();
    await slots(CONCURRENCY);
    await world.drained();
    const used = getCpu([world.product.pid]) - cpu;
    const arrivals = await world.arrivals();
    if (new Set(arrivals.map(({ event }) => event)).size !== count) throw new Error('some did not arrive');
    const ended = Math.max(...arrivals.map(({ at }) => at));
    return { rate: (count * 1000) / (ended - began), cpu: (used * 1000) / count };
  };

  await world.pour(1);
  await world.drained();
  const page = await (
    await succeeded(await world.account.call('GET', `/webhooks/${webhook}/deliveries?limit=1`))
  ).json();
  const { data } = page as { data: { id: string }[] };
  const one = (await (
    await succeeded(await world.account.call('GET', `/deliveries/${data[0]!.id}`))
  ).json()) as {
    body: string;
    attempts: { request: { headers: Record<string, string> } }[];
  };
  const posted = { headers: one.attempts[0]!.request.headers, body: one.body };
  await world.arrivals();

  const runs: { ours: number; bare: number; cpu: number }[] = [];
  for (let round = 0; round <= rounds; round++) {
    const first = round % 2 ? await bare(`${world.receiver}/bare`, count, posted) : null;
    await world.arrivals();
    const { rate, cpu } = await ours();
    const other = first ?? (await bare(`${world.receiver}/bare`, count, posted));
    await world.arrivals();
    report(
      `deliveries, round ${round}: ${rate.toFixed(0)} / ${other.toFixed(0)} a second, ${cpu.toFixed(0)} µs`,
    );
    if (round > 0) runs.push({ ours: rate, bare: other, cpu });
  }
  const ratios = runs.map((run) => run.ours / run.bare);
  const ratio = median(ratios);
  const middle = (name: 'ours' | 'bare' | 'cpu') => median(runs.map((run) => run[name]));
  return {
    title: 'Deliveries at full speed',
    method: `${count} deliveries of about ${Buffer.byteLength(posted.body)} bytes waiting in the queue, sent to one receiver on loopback that immediately responds with 200, ${CONCURRENCY} at a time: claimed, signed, sent, and recorded with their attempts. The counterpart is a process that only posts the same bytes with the same headers with \`undici.request\`, with the same concurrency, to the same receiver. ${rounds} runs of each after a warm-up, alternated; medians. CPU is that of the serving process, without PostgreSQL.`,
    columns: ['', 'deliveries/s', 'CPU µs/delivery'],
    rows: [
      ['Fairlead', middle('ours').toFixed(0), middle('cpu').toFixed(0)],
      ['bare undici loop', middle('bare').toFixed(0), ''],
    ],
    targets: [
      {
        text: `${ratio.toFixed(2)} of the bare loop (runs: ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}) (target: at least ${MIN_RATIO}).`,
        met: ratio >= MIN_RATIO,
      },
    ],
  };
};
