/** Ten receivers, one of which never answers, with nothing and with 100,000 deliveries waiting for it. */
import { toUuid } from '../../src/core/vocabulary/ids.ts';
import { type Bench } from '../support/figure.ts';
import { type DeliveryWorld, openDeliveryWorld } from '../support/delivery-world.ts';
import { percentile } from '../../test/support/percentile.ts';

const RATE = 100;
const WELL = 9;
const MAX_RATIO = 1.2;
const MAX_MORE_MS = 20;

/** From the commit to the receivers that answer. */
async function offer(world: DeliveryWorld, webhooks: string[], seconds: number) {
  await world.arrivals();
  const committed = await world.offer(RATE, seconds);
  await world.drained(webhooks);
  const waits = (await world.arrivals())
    .filter(({ path, event }) => path.startsWith('/well') && committed.has(event))
    .map(({ event, at }) => at - committed.get(event)!);
  if (waits.length !== committed.size * WELL) throw new Error('some did not arrive, or twice');
  return { p50: percentile(waits, 0.5), p99: percentile(waits, 0.99), longest: percentile(waits, 1) };
}

export const deliveryIsolation: Bench = async ({ quick, report }) => {
  const seconds = quick ? 1 : 60;
  const settleSeconds = quick ? 1 : 20;
  const backlog = quick ? 1_000 : 100_000;
  await using world = await openDeliveryWorld();
  const well = await Promise.all(Array.from({ length: WELL }, (_, n) => world.subscribe(`/well/${n}`)));
  await world.offer(RATE, quick ? 1 : 5);
  await world.drained();

  const without = await offer(world, well, seconds);
  report(`isolation: ${without.p99.toFixed(1)} ms without`);
  const dead = await world.subscribe('/hang/1');
  await offer(world, well, settleSeconds);
  const beside = await offer(world, well, seconds);
  report(`isolation: ${beside.p99.toFixed(1)} ms beside one that never answers`);
  // The backlog is the dead one's alone: the others are deaf for as long as it takes to write.
  await world.query(
    `create table silenced as select * from webhook_subscriptions where webhook_id <> '${toUuid('webhook', dead)}'`,
  );
  await world.query(
    'delete from webhook_subscriptions s using silenced where s.webhook_id = silenced.webhook_id',
  );
  await world.pour(backlog);
  while ((await world.query<{ waits: boolean }>('select exists (select from outbox) as waits'))[0]!.waits);
  await world.query('insert into webhook_subscriptions select * from silenced');
  const waiting = await world.metric('fairlead_deliveries_waiting');
  const loaded = await offer(world, well, seconds);
  report(`isolation: ${loaded.p99.toFixed(1)} ms with ${waiting} waiting for it`);

  const holds = ({ p99 }: { p99: number }): boolean =>
    p99 <= Math.max(without.p99 * MAX_RATIO, without.p99 + MAX_MORE_MS);
  const row = (name: string, one: typeof without) => [
    name,
    one.p50.toFixed(1),
    one.p99.toFixed(1),
    one.longest.toFixed(0),
  ];
  return {
    title: 'A receiver that never responds',
    method: `${RATE} events a second for ${seconds} s to ${WELL} webhooks whose receiver responds immediately. Measured from just before the commit to the arrival. Without a tenth webhook; with a tenth that never responds, ${settleSeconds} s after its first; and with ${waiting} deliveries waiting for that webhook.`,
    columns: ['', 'p50 ms', 'p99 ms', 'longest ms'],
    rows: [row('without it', without), row('beside it', beside), row(`${waiting} waiting for it`, loaded)],
    targets: [
      {
        text: `p99 ${beside.p99.toFixed(1)} ms beside it, ${without.p99.toFixed(1)} ms without (target: at most 1.2 × or 20 ms more).`,
        met: holds(beside),
      },
      {
        text: `p99 ${loaded.p99.toFixed(1)} ms with ${waiting} waiting for it (target: the same).`,
        met: holds(loaded),
      },
    ],
  };
};
