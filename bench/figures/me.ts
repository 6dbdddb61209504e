/** `GET /api/v1/me` with a key, against a bare Fastify route that answers the same bytes. */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { openAccount, succeeded } from '../../test/support/account.ts';
import { getCpu } from '../../test/support/processes.ts';
import { freePort, SERVER, startProduct } from '../../test/support/product.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { onServerCore, WHERE } from '../support/cores.ts';
import { type Bench, median } from '../support/figure.ts';
import { load } from '../support/load.ts';

const CONNECTIONS = 50;
const MIN_RATIO = 0.7;

interface Run {
  requestsPerSecond: number;
  p50: number;
  p99: number;
  cpuMicroseconds: number;
}

interface Side {
  name: string;
  url: string;
  pid: number;
  runs: Run[];
}

/** Headers that Node and Fastify set by themselves on every answer. */
const OWN_HEADERS = new Set(['connection', 'content-length', 'content-type', 'date', 'keep-alive']);

/** The whole answer but the values that differ from call to call. */
async function getResponse(
  url: string,
  headers: Record<string, string>,
): Promise<{ head: object; body: string }> {
  const response = await succeeded(await fetch(url, { headers }));
  const head = Object.fromEntries(response.headers);
  for (const name of ['date', 'fairlead-request-id'])
    if (head[name]) head[name] = 'x'.repeat(head[name].length);
  return { head, body: await response.text() };
}

async function measure({ url, pid, runs }: Side, headers: Record<string, string>, seconds: number) {
  const before = getCpu([pid]);
  const result = await load({ url, headers, connections: CONNECTIONS, seconds });
  runs.push({ ...result, cpuMicroseconds: ((getCpu([pid]) - before) * 1000) / result.requests });
  await delay(200);
}

const of = ({ runs }: Side, key: keyof Run): number => median(runs.map((run) => run[key]));
const row = (side: Side): string[] => [
  side.name,
  of(side, 'requestsPerSecond').toFixed(0),
  of(side, 'cpuMicroseconds').toFixed(1),
  of(side, 'p50').toFixed(2),
  of(side, 'p99').toFixed(2),
];

export const me: Bench = async ({ quick, report }) => {
  const seconds = quick ? 1 : 8;
  const rounds = quick ? 1 : 5;
  await using folder = await temporaryFolder();
  const product = await startProduct({
    dataDir: folder.path,
    command: onServerCore(...SERVER),
  });
  const { secret } = await (await openAccount(product.base)).createKey();
  const headers = { authorization: `Bearer ${secret}` };
  const numeric = (base: string): string => base.replace('localhost', '127.0.0.1');
  const url = `${numeric(product.base)}/api/v1/me`;
  const { head, body } = await getResponse(url, headers);
  const own = Object.fromEntries(Object.entries(head).filter(([name]) => !OWN_HEADERS.has(name)));

  const port = await freePort();
  const arguments_ = [String(port), body, JSON.stringify(own)];
  const bare = await startProduct({
    dataDir: folder.path,
    port,
    command: onServerCore(process.execPath, 'bench/support/bare-me.ts', ...arguments_),
  });
  try {
    const ours: Side = { name: 'Fairlead', url, pid: product.pid, runs: [] };
    const same: Side = {
      ...ours,
      name: 'bare, same answer',
      url: `${numeric(bare.base)}/same`,
      pid: bare.pid,
      runs: [],
    };
    const lean: Side = { ...same, name: 'bare, same body', url: `${numeric(bare.base)}/body`, runs: [] };
    assert.deepEqual(await getResponse(same.url, headers), { head, body });
    assert.equal((await getResponse(lean.url, headers)).body, body);

    const sides = [ours, same, lean];
    if (!quick) for (const side of sides) await measure({ ...side, runs: [] }, headers, 5);
    for (let round = 0; round < rounds; round += 1) {
      // Who goes first alternates: what changes on the machine meanwhile meets all.
      for (const side of round % 2 ? sides.toReversed() : sides) await measure(side, headers, seconds);
      report(
        `me, round ${round + 1}: ${sides.map(({ runs }) => runs.at(-1)!.requestsPerSecond.toFixed(0)).join(' / ')}`,
      );
    }
    const ratioTo = (other: Side) => {
      const ratios = ours.runs.map(
        (run, index) => run.requestsPerSecond / other.runs[index]!.requestsPerSecond,
      );
      return {
        ratio: median(ratios),
        spread: `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`,
      };
    };
    const toSame = ratioTo(same);
    const toLean = ratioTo(lean);
    return {
      title: '`GET /api/v1/me` with an API key',
      method: `${CONNECTIONS} connections, ${rounds} runs of ${seconds} s for each after a warm-up, alternated; medians; every status asserted; ${WHERE}. The key has no rate limit. The counterparts are bare Fastify routes with the same response schema: one returns the same bytes including headers, the other the same ${Buffer.byteLength(body)} bytes of body with Fastify's own headers. CPU is that of the server process.`,
      columns: ['', 'requests/s', 'CPU µs/request', 'p50 ms', 'p99 ms'],
      rows: sides.map(row),
      targets: [
        {
          text: `${toSame.ratio.toFixed(2)} of the rate of a bare route that returns the same bytes (runs: ${toSame.spread}) (target: at least ${MIN_RATIO}). Compared with the one without the headers: ${toLean.ratio.toFixed(2)} (${toLean.spread}).`,
          met: toSame.ratio >= MIN_RATIO,
        },
      ],
    };
  } finally {
    await bare.kill();
    await product.stop();
  }
};
