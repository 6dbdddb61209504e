/**
 * 1,000 model calls with bodies of 1 MB, of ten persons, that wait at a provider that never responds, for long:
 * `node bench/soak-model-hung.ts [minutes]` (10). Those for which there is no memory are rejected, and callers repeat them as
 * clients do. Meanwhile another person calls `GET /me` and a model of the same provider that responds.
 *
 * Prints memory, responses and the other person's times for each minute. Ends with 1 if that person got an error, the server
 * ended, leaked listeners, or memory grew by more than a tenth in the second half of a run of ten minutes or more.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { openAccount, succeeded } from '../test/support/account.ts';
import { percentile } from '../test/support/percentile.ts';
import { getPss } from '../test/support/processes.ts';
import { markdownTable, median } from './support/figure.ts';
import { MODEL, openModelBench } from './support/model-streams.ts';
import { DOCUMENT } from './support/stream-chunks.ts';

const PERSONS = 10;
const CALLS_EACH = 100;
const BODY_BYTES = 1_000_000;
const SAMPLE_MS = 5_000;
const OTHER_EVERY_MS = 250;
const OTHER_WITHIN_MS = 30_000;
/** Added to Retry-After, so that callers don't all return at the same time. */
const MAX_JITTER_MS = 30_000;
const MAX_GROWTH = 1.1;
const JUDGED_MINUTES = 10;
const MINUTE_MS = 60_000;
const HUNG = 'hung';

const minutes = Number(process.argv[2] ?? 10);

/** Responds to its one model, and to the other never. */
let waiting = 0;
const provider = createServer((incoming, response) => {
  const json = { 'content-type': 'application/json' };
  if (incoming.method === 'GET') {
    response.writeHead(200, json).end(JSON.stringify({ object: 'list', data: [{ id: MODEL }] }));
    return;
  }
  const isHung = incoming.url!.startsWith(`/${HUNG}/`);
  if (isHung) waiting += 1;
  incoming.resume().on('end', () => {
    if (!isHung) response.writeHead(200, json).end(DOCUMENT);
  });
  response.on('close', () => {
    if (isHung) waiting -= 1;
  });
});
provider.listen(0, '127.0.0.1', 2_048);
await once(provider, 'listening');
const providerUrl = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;

await using bench = await openModelBench(`${providerUrl}/v1`, {
  SIGN_UP: 'open',
  NODE_OPTIONS: '--trace-warnings',
});
const { product, url, pids } = bench;

/** Somebody with a key, and a provider whose model never responds. */
async function openCaller(nth: number): Promise<string> {
  const account = await openAccount(product.base, `caller-${nth}@example.com`);
  await succeeded(
    await account.call('POST', '/model-providers', {
      kind: 'openai_compatible',
      name: 'Hung',
      slug: HUNG,
      base_url: `${providerUrl}/${HUNG}/v1`,
      models: [{ id: HUNG }],
      timeout_seconds: 600,
    }),
  );
  return (await account.createKey()).secret;
}

interface Minute {
  megabytes: number[];
  /** Responses to calls that hang, by status; 'none' for connections that broke. */
  answers: Record<string, number>;
  /** At the provider. */
  waiting: number[];
  meMs: number[];
  callMs: number[];
}
const since = performance.now();
const perMinute: Minute[] = [];
const getMinute = (): Minute =>
  (perMinute[Math.floor((performance.now() - since) / MINUTE_MS)] ??= {
    megabytes: [],
    answers: {},
    waiting: [],
    meMs: [],
    callMs: [],
  });
const faults: string[] = [];
const over = new AbortController();
const agent = new Agent({ connections: PERSONS * CALLS_EACH, bodyTimeout: 0, headersTimeout: 0 });
const body = Buffer.from(
  JSON.stringify({
    model: `${HUNG}/${HUNG}`,
    messages: [{ role: 'user', content: 'word '.repeat(BODY_BYTES / 5) }],
    max_tokens: 100,
  }),
);

async function callHung(key: string): Promise<void> {
  while (!over.signal.aborted) {
    let retryAfter = 1;
    let answered = 'none';
    try {
      const response = await request(`${url}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body,
        dispatcher: agent,
        signal: over.signal,
      });
      await response.body.text();
      answered = String(response.statusCode);
      retryAfter = Number(response.headers['retry-after'] ?? 1);
    } catch (error) {
      if (over.signal.aborted) return;
      console.error(String(error));
    }
    const { answers } = getMinute();
    answers[answered] = (answers[answered] ?? 0) + 1;
    await delay(retryAfter * 1_000 + Math.random() * MAX_JITTER_MS, undefined, { signal: over.signal }).catch(
      () => undefined, // the run is over
    );
  }
}

/** What the other person does, once. */
async function measureOther(): Promise<void> {
  const headers = { authorization: `Bearer ${bench.key}`, 'content-type': 'application/json' };
  const message = {
    model: `bench/${MODEL}`,
    messages: [{ role: 'user', content: 'Hello!' }],
    max_tokens: 10,
  };
  const calls = [
    { times: 'meMs', path: '/me', init: {} },
    { times: 'callMs', path: '/chat/completions', init: { method: 'POST', body: JSON.stringify(message) } },
  ] as const;
  for (const { times, path, init } of calls) {
    const startedAt = performance.now();
    const signal = AbortSignal.timeout(OTHER_WITHIN_MS);
    const failure = await fetch(`${url}${path}`, { ...init, headers, signal }).then(
      async (response) => {
        const text = await response.text();
        return response.ok ? null : `${response.status} ${text.slice(0, 300)}`;
      },
      (error: unknown) => String(error),
    );
    if (failure) faults.push(`${path} of the other person: ${failure}`);
    getMinute()[times].push(performance.now() - startedAt);
  }
}

const keys: string[] = [];
for (let nth = 0; nth < PERSONS; nth += 1) keys.push(await openCaller(nth));
console.error(`without calls: ${getPss(pids).toFixed(0)} MB`);
const timer = setInterval(() => {
  const minute = getMinute();
  minute.megabytes.push(getPss(pids));
  minute.waiting.push(waiting);
}, SAMPLE_MS);
const calling = Promise.all(keys.flatMap((key) => Array.from({ length: CALLS_EACH }, () => callHung(key))));
const end = performance.now() + minutes * MINUTE_MS;
while (performance.now() < end && product.isRunning()) {
  await measureOther();
  await delay(OTHER_EVERY_MS);
}
clearInterval(timer);
if (!product.isRunning()) faults.push(`the server ended: ${product.output().slice(-2_000)}`);
over.abort();
await calling;
await agent.destroy();
provider.closeAllConnections();
provider.close();

// What is under way when the time is over may end in another minute.
const measured = perMinute.slice(0, Math.ceil(minutes));
const times = (values: readonly number[]): string =>
  `${percentile(values, 0.5).toFixed(0)}, ${percentile(values, 0.99).toFixed(0)}, ${Math.max(...values).toFixed(0)}`;
console.log(
  markdownTable(
    [
      'minute',
      'median MB',
      'highest MB',
      'waiting at the provider',
      'responses',
      'GET /me ms: p50, p99, longest',
      'model call ms: p50, p99, longest',
    ],
    measured.map((minute, nth) => [
      nth + 1,
      median(minute.megabytes).toFixed(0),
      Math.max(...minute.megabytes).toFixed(0),
      median(minute.waiting),
      Object.entries(minute.answers)
        .map(([status, count]) => `${status}: ${count}`)
        .join(', '),
      times(minute.meMs),
      times(minute.callMs),
    ]),
  ),
);
const inPart = (from: number, to: number): number[] => {
  const all = measured.flatMap(({ megabytes }) => megabytes);
  return all.slice(Math.floor(from * all.length), Math.ceil(to * all.length));
};
const growth = median(inPart(0.75, 1)) / median(inPart(0.25, 0.5));
console.log(`memory in the last quarter is ${growth.toFixed(3)} of that in the second`);
if (minutes >= JUDGED_MINUTES && growth > MAX_GROWTH) faults.push('memory grew');
const warning = /MaxListenersExceededWarning[^]{0,2000}/.exec(product.output());
if (warning) faults.push(warning[0]);
for (const fault of new Set(faults)) console.error(`fault: ${fault}`);
process.exitCode = faults.length ? 1 : 0;
