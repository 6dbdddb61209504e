/** Messages that a channel sends: from the request at `/channels/{token}` to the event of the stored message. */
import { createSecretKey, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { getSignature } from '../../src/platform/crypto/webhook-signature.ts';
import { openPool } from '../../src/platform/db/database.ts';
import { runningConnection } from '../../src/platform/embedded-postgres/embedded.ts';
import { openAccount, succeeded } from '../../test/support/account.ts';
import { connectInstance } from '../../test/support/messaging-worlds.ts';
import { percentile } from '../../test/support/percentile.ts';
import { startProduct } from '../../test/support/product.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import type { Bench } from '../support/figure.ts';

const RATES = { whole: 300, quick: 50 };
const SECONDS = { whole: 30, quick: 3 };
const INSTANCES = 10;
const TICK_MS = 20;
const MAX_P99 = 1_000;
const DRAIN_MS = 60_000;

/** A bridge that answers every action, as `open` and `probe` ask for. */
async function startBridge(): Promise<{ url: string; close: () => void }> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.setHeader('content-type', 'application/json').end('{}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, close: () => void server.close() };
}

export const ingress: Bench = async ({ quick, report }) => {
  const mode = quick ? 'quick' : 'whole';
  const [rate, seconds] = [RATES[mode], SECONDS[mode]];
  await using folder = await temporaryFolder();
  const bridge = await startBridge();
  const product = await startProduct({
    dataDir: folder.path,
    env: { LOG_LEVEL: 'warn', EGRESS_ALLOW: '127.0.0.1' },
  });
  const pool = openPool({ ...(await runningConnection(folder.path))!, max: 2 }, () => undefined);
  try {
    const account = await openAccount(product.base);
    const key = randomBytes(32);
    const secret = `whsec_${key.toString('base64')}`;
    const urls: string[] = [];
    for (let n = 0; n < INSTANCES; n++) {
      const body = {
        name: `bench ${n}`,
        channel: 'http',
        settings: { url: bridge.url },
        credentials: { secret },
      };
      const id = await connectInstance(account, body);
      const read = await succeeded(await account.call('GET', `/instances/${id}`));
      urls.push(((await read.json()) as { ingress_url: string }).ingress_url);
    }
    const signingKey = createSecretKey(key);
    const sentAt = new Map<string, number>();
    const answers: number[] = [];
    const failures: number[] = [];
    const post = async (n: number): Promise<void> => {
      const id = `m${n}`;
      const signal = {
        signal: 'message',
        external_id: id,
        from: `person${n % 500}`,
        type: 'text',
        text: 'Hi',
      };
      const body = JSON.stringify({ signals: [signal] });
      const timestamp = Math.floor(Date.now() / 1000);
      const headers = {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': getSignature([signingKey], id, timestamp, body),
      };
      const began = performance.now();
      sentAt.set(id, performance.timeOrigin + began);
      const { status } = await fetch(urls[n % INSTANCES]!, { method: 'POST', headers, body });
      if (status === 200) answers.push(performance.now() - began);
      else failures.push(status);
    };
    const began = performance.now();
    const running: Promise<void>[] = [];
    for (let n = 0; n < rate * seconds;) {
      const due = Math.min(rate * seconds, ((performance.now() - began) * rate) / 1000);
      for (; n < due; n++) running.push(post(n));
      await delay(TICK_MS);
    }
    await Promise.all(running);
    const events = async () =>
      (
        await pool.query<{ id: string; at: Date }>(
          `select data -> 'object' ->> 'external_id' as id, created_at as at
           from events where type = 'message.received'`,
        )
      ).rows;
    let rows = await events();
    for (const from = performance.now(); rows.length < answers.length; rows = await events()) {
      if (performance.now() - from > DRAIN_MS) break;
      await delay(200);
    }
    const waits = rows.map(({ id, at }) => at.getTime() - sentAt.get(id)!);
    const [p50, p99] = [percentile(waits, 0.5), percentile(waits, 0.99)];
    report(`ingress: p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`);
    return {
      title: `${rate} inbound messages per second at /channels/{token}`,
      method: `Signed requests of the channel http with one message each, for ${INSTANCES} instances, at an even rate for ${seconds} s. Measured from the request to the event \`message.received\`, which is written in the transaction of the message.`,
      columns: ['', 'p50 ms', 'p99 ms', 'longest ms'],
      rows: [
        ['Request → 200', ...[0.5, 0.99, 1].map((share) => percentile(answers, share).toFixed(1))],
        ['Request → event', ...[0.5, 0.99, 1].map((share) => percentile(waits, share).toFixed(1))],
      ],
      targets: [
        {
          text: `All ${rate * seconds} requests got 200 (${failures.length} did not), and each message was stored once (${rows.length}).`,
          met:
            failures.length === 0 &&
            rows.length === rate * seconds &&
            new Set(rows.map(({ id }) => id)).size === rows.length,
          always: true,
        },
        { text: `p99 to the event is at most ${MAX_P99} ms (${p99.toFixed(0)} ms).`, met: p99 <= MAX_P99 },
      ],
    };
  } finally {
    await pool.end();
    await product.stop();
    bridge.close();
  }
};
