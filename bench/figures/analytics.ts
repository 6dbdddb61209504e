/** Sums of clicks through HTTP, at a million clicks and at ten: they read roll-ups, so both should cost the same. */
import { loadavg } from 'node:os';
import { openDatabase, openPool } from '../../src/platform/db/database.ts';
import { runningConnection } from '../../src/platform/embedded-postgres/embedded.ts';
import { publicId, toUuid } from '../../src/core/vocabulary/ids.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { openAccount } from '../../test/support/account.ts';
import { loadClickWorld, multiplyClicks } from '../../test/support/click-load.ts';
import { percentile } from '../../test/support/percentile.ts';
import { SERVER, startProduct } from '../../test/support/product.ts';
import type { Bench } from '../support/figure.ts';

const DAYS = 60;
const LINKS = 100_000;
const MAX_MS = 50;
/** Clicks that are loaded, and how many there are at first: so many times as many, and then MORE times these. */
const LOADED = 250_000;
const TIMES = 4;
const MORE = 10;
/** What is asked for; `{link}` is the most clicked of all links, `{cold}` the one in the middle. */
const CALLS: [name: string, path: string][] = [
  ['link, 30 days', '/analytics?link_id={link}'],
  ['link, 30 days of Berlin', '/analytics?link_id={link}&time_zone=Europe/Berlin'],
  ['link, countries', '/analytics?link_id={link}&group_by=country'],
  ['workspace, 30 days', '/analytics'],
  ['workspace, 30 days of Kathmandu', '/analytics?time_zone=Asia/Kathmandu'],
  ['workspace, countries', '/analytics?group_by=country'],
  ['workspace, referrers, compared', '/analytics?group_by=referrer&compare=previous_period'],
  ['workspace, links', '/analytics?group_by=link'],
  ['cold link, 30 days', '/analytics?link_id={cold}'],
  ['link, a page of clicks', '/links/{link}/clicks'],
];
/** Those that the goal is about. */
const ASKED = ['link, 30 days', 'link, countries', 'workspace, 30 days', 'workspace, countries'];

type Times = Map<string, { p50: number; p99: number }>;

async function getTimes(
  base: string,
  secret: string,
  ids: readonly string[],
  calls: number,
  report: (line: string) => void,
): Promise<Times> {
  const [link, cold] = [ids[0]!, ids[ids.length >> 1]!].map((id) => publicId('link', id)) as [string, string];
  const times: Times = new Map();
  for (const [name, path] of CALLS) {
    const url = `${base}/api/v1${path.replace('{link}', link).replace('{cold}', cold)}`;
    const taken: number[] = [];
    // The first few prepare their statements, and read from the disk.
    for (let n = -10; n < calls; n++) {
      const start = performance.now();
      const answer = await fetch(url, { headers: { authorization: `Bearer ${secret}` } });
      const body = (await answer.json()) as { data: { clicks: number }[] };
      if (n >= 0) taken.push(performance.now() - start);
      if (answer.status !== 200 || !body.data.length) throw new Error(`${path}: ${JSON.stringify(body)}`);
    }
    const result = { p50: percentile(taken, 0.5), p99: percentile(taken, 0.99) };
    times.set(name, result);
    report(`analytics: ${name}: p50 ${result.p50.toFixed(1)} ms, p99 ${result.p99.toFixed(1)} ms`);
  }
  return times;
}

/** At TIMES times `count` clicks, and at MORE times as many in the same database. */
async function timesAt(
  count: number,
  links: number,
  calls: number,
  report: (line: string) => void,
): Promise<[Times, Times]> {
  await using folder = await temporaryFolder();
  const product = await startProduct({
    dataDir: folder.path,
    env: { ROLE: 'api', LOG_LEVEL: 'warn' },
    command: SERVER,
  });
  const pool = openPool({ ...(await runningConnection(folder.path))!, max: 4 }, () => undefined);
  const db = openDatabase(pool);
  try {
    const account = await openAccount(product.base);
    const { secret } = await account.createKey();
    const workspaceId = toUuid('workspace', account.workspace)!;
    const began = performance.now();
    const ids = await loadClickWorld(db, { workspaceId, links, count, days: DAYS, until: new Date() });
    report(`analytics: ${count} clicks loaded in ${((performance.now() - began) / 1000).toFixed(0)} s`);
    const grow = async (times: number): Promise<void> => {
      const from = performance.now();
      await multiplyClicks(db, workspaceId, times);
      report(`analytics: made ${times} times as many in ${((performance.now() - from) / 1000).toFixed(0)} s`);
    };
    await grow(TIMES);
    const first = await getTimes(product.base, secret, ids, calls, report);
    await grow(MORE);
    return [first, await getTimes(product.base, secret, ids, calls, report)];
  } finally {
    await pool.end();
    await product.stop();
  }
}

export const analytics: Bench = async ({ quick, report }) => {
  const size = quick ? 1_000 : LOADED;
  const sizes = [size * TIMES, size * TIMES * MORE];
  const calls = quick ? 3 : 100;
  const all = await timesAt(size, quick ? 500 : LINKS, calls, report);
  const [small, large] = all;
  const slowest = Math.max(...ASKED.map((name) => large.get(name)!.p50));
  const growth = Math.max(...ASKED.map((name) => large.get(name)!.p50 / small.get(name)!.p50));
  return {
    title: '`GET /api/v1/analytics`',
    method: `Clicks over ${DAYS} days, Zipf over ${LINKS.toLocaleString('en')} links of one workspace, of which ${size.toLocaleString('en')} were loaded by the product's own loader. The others were inserted next to these by SQL, in the same quarter of an hour and from other visitors, and the counts in the roll-ups were multiplied accordingly, as the loader would have left them. At both sizes, each query ran ${calls} times, in sequence, over loopback with an API key. The range is the last 30 days unless the name says otherwise. Server, PostgreSQL and caller share all cores. The machine's load average was ${loadavg()[0]!.toFixed(1)} at the end, including other work.`,
    columns: ['', ...sizes.flatMap((of) => [`p50 ms at ${of / 1e6} M`, `p99 ms at ${of / 1e6} M`])],
    rows: CALLS.map(([name]) => [
      name,
      ...all.flatMap((times) => [times.get(name)!.p50.toFixed(1), times.get(name)!.p99.toFixed(1)]),
    ]),
    targets: [
      {
        text: `series and countries of a link and of the workspace take ${slowest.toFixed(1)} ms at most (p50) at ${sizes[1]! / 1e6} M clicks (target: less than ${MAX_MS}).`,
        met: slowest < MAX_MS,
      },
      {
        text: `none of them takes more than ${growth.toFixed(2)} times as long as at ${sizes[0]! / 1e6} M; less than 2 is taken for the same.`,
        met: growth < 2,
      },
    ],
  };
};
