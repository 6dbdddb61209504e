/** Messages from the call to their delivery, on the sandbox: as fast as it goes, and at an even rate. */
import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from '../../test/support/percentile.ts';
import { type Bench } from '../support/figure.ts';
import { type MessagingWorld, openMessagingWorld, type Used } from '../support/messaging-world.ts';

const SENDERS = 256;
const RATE = 100;
/** Until a contact of the sandbox says that it has a message. */
const CONTACTS_OWN_MS = 40;

interface Run {
  perSecond: number;
  /** Until all were accepted. */
  acceptedPerSecond: number;
  waits: number[];
  statements: number;
  cpu: number;
  misordered: number;
  load: number;
}

interface Sent {
  id: string;
  at: number;
}

async function asFastAsItGoes(world: MessagingWorld, count: number): Promise<Sent[]> {
  const all: Sent[] = [];
  let left = count;
  await Promise.all(
    Array.from({ length: SENDERS }, async () => {
      while (left-- > 0) all.push(await world.send());
    }),
  );
  return all;
}

async function evenly(world: MessagingWorld, count: number): Promise<Sent[]> {
  const sending: Promise<Sent>[] = [];
  const began = performance.now();
  while (sending.length < count) {
    const due = Math.min(count, Math.ceil(((performance.now() - began) / 1000) * RATE));
    while (sending.length < due) sending.push(world.send());
    await delay(1);
  }
  return Promise.all(sending);
}

const minus = (after: Used, before: Used, count: number): { statements: number; cpu: number } => ({
  statements: (after.statements - before.statements) / count,
  cpu: ((after.cpuMs - before.cpuMs) * 1000) / count,
});

async function measure(
  world: MessagingWorld,
  send: (world: MessagingWorld, count: number) => Promise<Sent[]>,
  count: number,
): Promise<Run> {
  const before = await world.used();
  const began = performance.now();
  const sent = await send(world, count);
  const accepted = performance.now() - began;
  await world.delivered();
  const took = performance.now() - began;
  const used = minus(await world.used(), before, count);
  const deliveries = await world.deliveries();
  return {
    perSecond: (count * 1000) / took,
    acceptedPerSecond: (count * 1000) / accepted,
    waits: sent.map(({ id, at }) => deliveries.get(id)! - at),
    ...used,
    misordered: await world.misordered(),
    load: loadavg()[0]!,
  };
}

const row = (name: string, run: Run): string[] => [
  name,
  run.acceptedPerSecond.toFixed(0),
  run.perSecond.toFixed(0),
  percentile(run.waits, 0.5).toFixed(0),
  percentile(run.waits, 0.99).toFixed(0),
  run.statements.toFixed(2),
  run.cpu.toFixed(0),
  run.load.toFixed(1),
];

export const messaging: Bench = async ({ quick, report }) => {
  await using world = await openMessagingWorld();
  await measure(world, asFastAsItGoes, quick ? 100 : 2_000);
  const fast = await measure(world, asFastAsItGoes, quick ? 300 : 10_000);
  report(`messaging: ${fast.perSecond.toFixed(0)}/s, ${fast.statements.toFixed(2)} statements a message`);
  const even = await measure(world, evenly, RATE * (quick ? 2 : 60));
  report(`messaging at ${RATE}/s: p50 ${percentile(even.waits, 0.5).toFixed(0)} ms`);
  const misordered = Math.max(fast.misordered, even.misordered);
  return {
    title: 'Messages from the call to their delivery',
    method: `Text messages from one instance of the sandbox to 100 contacts that don't reply, each sent with its own \`POST /api/v1/messages\`: ${SENDERS} calls at a time at full speed, from the first call to the last delivery; and ${RATE} a second for ${quick ? 2 : 60} s. Each is accepted, claimed, handed to the channel and completed, and its delivery and read receipts are processed. The latency is from the 202 to the event \`message.delivered\`, of which ${CONTACTS_OWN_MS} ms are the contact's own. Statements and CPU are those of the serving process, which is also the channel's server. Server, PostgreSQL and caller share all cores. Load is the machine's load average after a run, including other work.`,
    columns: [
      '',
      'accepted/s',
      'delivered/s',
      'p50 ms',
      'p99 ms',
      'statements/message',
      'CPU µs/message',
      'load',
    ],
    rows: [row('full speed', fast), row(`${RATE} a second`, even)],
    targets: [
      {
        text: `${misordered} of them came to their contact out of order.`,
        met: misordered === 0,
        always: true,
      },
      {
        text: `${even.perSecond.toFixed(0)} a second were delivered of ${RATE} a second that were sent.`,
        met: even.perSecond > 0.95 * RATE,
      },
    ],
  };
};
