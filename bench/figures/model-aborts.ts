/** From a caller's leaving until the model provider sees it, through Fairlead. */
import { Agent, request } from 'node:http';
import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { startScriptedUpstream, type UpstreamCall } from '../../test/support/models/scripted-upstream.ts';
import { percentile } from '../../test/support/percentile.ts';
import { openAccount, succeeded } from '../../test/support/account.ts';
import { startProduct } from '../../test/support/product.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import type { Bench } from '../support/figure.ts';

const CALLS = 500;
const AT_ONCE = 10;
const MAX_P99_MS = 100;
/** A provider that has not seen it by then has not been told. */
const GIVE_UP_MS = 30_000;

const KINDS = ['streamed', 'not streamed'] as const;
type Kind = (typeof KINDS)[number];

export const modelAborts: Bench = async ({ quick, report }) => {
  const count = quick ? 20 : CALLS;
  await using folder = await temporaryFolder();
  await using upstream = await startScriptedUpstream();
  const product = await startProduct({
    dataDir: folder.path,
    env: { LOG_LEVEL: 'warn', EGRESS_ALLOW: '127.0.0.1' },
  });
  const agent = new Agent({ keepAlive: true });
  try {
    const account = await openAccount(product.base);
    const provider = {
      kind: 'openai_compatible',
      name: 'Upstream',
      slug: 'upstream',
      base_url: upstream.url,
      models: [{ id: 'slow' }],
    };
    await succeeded(await account.call('POST', '/model-providers', provider));
    const { secret } = await account.createKey();
    const arrivals = new Map<string, (call: UpstreamCall) => void>();
    const aborts = new Map<string, (at: number) => void>();
    const getName = (call: UpstreamCall): string => call.body.messages[0].content as string;
    upstream.onAbort = (call) => aborts.get(getName(call))?.(call.abortedAt!);
    upstream.onCall = (call) => arrivals.get(getName(call))?.(call);

    /** @returns milliseconds from the caller's leaving until the provider saw it */
    const leave = async (kind: Kind, nth: number): Promise<number> => {
      const name = `${kind} ${nth}`;
      const arrived = new Promise<UpstreamCall>((resolve) => arrivals.set(name, resolve));
      const aborted = new Promise<number>((resolve) => aborts.set(name, resolve));
      const isStream = kind === 'streamed';
      const body = JSON.stringify({
        model: 'upstream/slow',
        messages: [{ role: 'user', content: name }],
        stream: isStream,
      });
      const call = request(`${product.base.replace('localhost', '127.0.0.1')}/api/v1/chat/completions`, {
        agent,
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      });
      call.on('error', () => {});
      const begun = isStream
        ? new Promise<void>((resolve) => {
            call.on('response', (response) => {
              response.on('error', () => {});
              response.once('data', () => resolve());
            });
          })
        : arrived;
      call.end(body);
      await begun;
      // Anywhere between two chunks.
      await delay(Math.random() * 30);
      const leftAt = performance.now();
      call.destroy();
      const at = await Promise.race([aborted, delay(GIVE_UP_MS, Infinity, { ref: false })]);
      return at - leftAt;
    };

    const times: Record<Kind, number[]> = { streamed: [], 'not streamed': [] };
    for (const kind of KINDS) {
      let left = count;
      await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          while (left > 0) {
            left -= 1;
            times[kind].push(await leave(kind, left));
          }
        }),
      );
      report(
        `model aborts, ${kind}: p99 ${percentile(times[kind], 0.99).toFixed(1)} ms of ${times[kind].length}`,
      );
    }
    const shown = (kind: Kind, share: number): string => percentile(times[kind], share).toFixed(1);
    return {
      title: 'Aborted model calls',
      method: `Time from the end of the caller's connection until the provider sees its own connection end: ${count} calls that stream and ${count} that don't, ${AT_ONCE} at the same time, aborted within 30 ms after their first byte, or after the provider received them. Caller and provider are one process, so one clock measures both; Fairlead is another process. The machine's load average was ${loadavg()[0]!.toFixed(1)} at the end, including other work.`,
      columns: ['', 'p50 ms', 'p99 ms', 'longest ms'],
      rows: KINDS.map((kind) => [kind, shown(kind, 0.5), shown(kind, 0.99), shown(kind, 1)]),
      targets: [
        {
          text: `p99 below ${MAX_P99_MS} ms for both.`,
          met: KINDS.every((kind) => percentile(times[kind], 0.99) < MAX_P99_MS),
        },
        {
          text: `The provider saw each of the ${2 * count} callers abort.`,
          met: KINDS.every((kind) => times[kind].length === count && times[kind].every(Number.isFinite)),
          always: true,
        },
      ],
    };
  } finally {
    agent.destroy();
    await product.stop();
  }
};
