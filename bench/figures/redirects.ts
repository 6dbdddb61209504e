/** A redirect whose click is recorded, against a bare `node:http` that redirects and records nothing. */
import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { getCpu } from '../../test/support/processes.ts';
import { freePort, type Product, startProduct } from '../../test/support/product.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { onServerCore, WHERE } from '../support/cores.ts';
import { type Bench, median } from '../support/figure.ts';
import { load, type LoadResult } from '../support/load.ts';
import { openRedirectWorld, type RedirectWorld, TARGET, zipf } from '../support/redirect-world.ts';

const CONNECTIONS = 50;
const LINKS = 100_000;
const SEQUENCE = 500_000;
const HEADERS = {
  'User-Agent':
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'Accept-Language': 'de-DE,de;q=0.9,en;q=0.8',
  'Accept-Encoding': 'gzip, deflate, br',
};
/** CLICK_SYNC → least share of the bare rate. */
const GOALS = { write: 0.65, fdatasync: 0.5 } as const;
type Sync = keyof typeof GOALS;

type Run = LoadResult & { cpuMicroseconds: number };

interface Side {
  name: string;
  base: string;
  pids: number[];
  paths: Paths;
  runs: Run[];
}

interface Paths {
  name: string;
  paths: string[];
  /** Which is asked for when; without it, the first alone. */
  sequence?: number[];
}

const numeric = (base: string): string => base.replace('localhost', '127.0.0.1');

async function measure({ base, pids, paths, runs }: Side, seconds: number): Promise<void> {
  const before = getCpu(pids);
  const url = `${base}${paths.paths[0]}`;
  const many = paths.sequence && { paths: paths.paths, sequence: paths.sequence };
  const result = await load({ url, headers: HEADERS, many, connections: CONNECTIONS, seconds });
  runs.push({ ...result, cpuMicroseconds: ((getCpu(pids) - before) * 1000) / result.requests });
  await delay(300);
}

/** @throws Error unless it answers as the link says */
async function assertRedirects(base: string, path: string): Promise<void> {
  const { status, headers } = await fetch(base + path, { redirect: 'manual', headers: HEADERS });
  if (status !== 302 || headers.get('location') !== TARGET) throw new Error(`${base}${path}: ${status}`);
}

interface Measured {
  sync: Sync;
  sides: Side[];
  ratios: Map<string, number[]>;
  answered: number;
  counted: Awaited<ReturnType<RedirectWorld['counted']>>;
  /** Answers that the end of a run cut off: their clicks are recorded. */
  cut: number;
  /** From the end of a run until all its clicks were loaded. */
  loadedMs: number;
}

async function measureSync(
  sync: Sync,
  bare: Product,
  {
    rounds,
    seconds,
    links,
    quick,
    report,
  }: { rounds: number; seconds: number; links: number; quick: boolean; report: (line: string) => void },
): Promise<Measured> {
  await using world = await openRedirectWorld({ CLICK_SYNC: sync });
  const paths = (await world.makeLinks(links)).map((slug) => `/${slug}`);
  const kinds: Paths[] = [
    { name: 'one link', paths: paths.slice(0, 1) },
    { name: `Zipf over ${links} links`, paths, sequence: zipf(links, quick ? 10_000 : SEQUENCE) },
  ];
  const getSides = (name: string, { base }: Product, pids: number[]): Side[] =>
    kinds.map((kind) => ({ name, base: numeric(base), pids, paths: kind, runs: [] }));
  const ours = getSides(`Fairlead, \`${sync}\``, world.product, world.pids);
  const others = getSides('bare', bare, [bare.pid]);
  const sides = kinds.flatMap((_, nth) => [ours[nth]!, others[nth]!]);
  await assertRedirects(ours[0]!.base, paths[0]!);
  await assertRedirects(others[0]!.base, paths[0]!);
  let answered = 1;
  const waits: number[] = [];
  /** No run has the clicks of another to load, nor shares its core with who does. */
  const calmly = async (side: Side, length: number): Promise<void> => {
    await measure(side, length);
    if (side.base !== ours[0]!.base) return;
    answered += side.runs.at(-1)!.requests;
    waits.push(await world.loaded(answered));
  };
  if (!quick) for (const side of sides) await calmly({ ...side, runs: [] }, 4);
  for (let round = 0; round < rounds; round++) {
    for (const side of round % 2 ? sides.toReversed() : sides) await calmly(side, seconds);
    report(
      `redirects, ${sync}, round ${round + 1}: ${sides.map(({ runs }) => runs.at(-1)!.requestsPerSecond.toFixed(0)).join(' / ')}`,
    );
  }
  const loadedMs = median(waits);
  // What was cut off is loaded at the same time; a click too many would come late.
  await delay(quick ? 500 : 3_000);
  const counted = await world.counted();
  const ratios = kinds.map(({ name }, nth): [string, number[]] => [
    name,
    ours[nth]!.runs.map((run, at) => run.requestsPerSecond / others[nth]!.runs[at]!.requestsPerSecond),
  ]);
  report(
    `redirects, ${sync}: ${answered} answered, ${JSON.stringify(counted)} counted, loaded ${loadedMs.toFixed(0)} ms after a run`,
  );
  return {
    sync,
    sides,
    ratios: new Map(ratios),
    answered,
    counted,
    cut: CONNECTIONS * ours.length * (quick ? rounds : rounds + 1),
    loadedMs,
  };
}

/** Two processes on all cores, which they share with the database and the load. */
async function measureTwo(rounds: number, seconds: number, quick: boolean): Promise<Side> {
  await using world = await openRedirectWorld({ CLICK_SYNC: 'write', PROCESSES: '2' });
  const paths = (await world.makeLinks(1)).map((slug) => `/${slug}`);
  const base = numeric(world.product.base);
  await assertRedirects(base, paths[0]!);
  const side: Side = {
    name: 'Fairlead, `write`, `PROCESSES=2`',
    base,
    pids: world.pids,
    paths: { name: 'one link', paths },
    runs: [],
  };
  if (!quick) await measure({ ...side, runs: [] }, seconds);
  for (let round = 0; round < rounds; round++) await measure(side, seconds);
  return side;
}

const of = ({ runs }: Side, key: keyof Run): number => median(runs.map((run) => run[key]));

const row = (side: Side): string[] => [
  `${side.name}, ${side.paths.name}`,
  of(side, 'requestsPerSecond').toFixed(0),
  of(side, 'cpuMicroseconds').toFixed(1),
  of(side, 'p50').toFixed(2),
  of(side, 'p99').toFixed(2),
];

const isCounted = ({ counted, answered, cut }: Measured): boolean =>
  new Set(Object.values(counted)).size === 1 &&
  counted.counters >= answered &&
  counted.counters <= answered + cut;

export const redirects: Bench = async ({ quick, report }) => {
  const seconds = quick ? 1 : 6;
  const rounds = quick ? 1 : 5;
  const links = quick ? 2_000 : LINKS;
  await using folder = await temporaryFolder();
  const port = await freePort();
  const bare = await startProduct({
    dataDir: folder.path,
    port,
    command: onServerCore(process.execPath, 'bench/support/bare-redirect.ts', String(port), TARGET),
  });
  const measured: Measured[] = [];
  let two: Side;
  try {
    for (const sync of Object.keys(GOALS) as Sync[])
      measured.push(await measureSync(sync, bare, { rounds, seconds, links, quick, report }));
    two = await measureTwo(rounds, seconds, quick);
  } finally {
    await bare.kill();
  }
  const goals = measured.flatMap(({ sync, ratios }) =>
    [...ratios].map(([name, all]) => ({
      text: `${name}, \`CLICK_SYNC=${sync}\`: ${median(all).toFixed(2)} of the rate of bare \`node:http\` (runs: ${Math.min(...all).toFixed(2)} to ${Math.max(...all).toFixed(2)}) (target: at least ${GOALS[sync]}).`,
      met: median(all) >= GOALS[sync],
    })),
  );
  return {
    title: 'A redirect with its click recorded',
    method: `${CONNECTIONS} connections, ${rounds} runs of ${seconds} s for each after a warm-up, alternated; medians; ${WHERE}, the database on the server's core. One process does everything (\`ROLE=all\`): it redirects, and loads clicks into the database, for which it uses a small share of its time under this load. The remaining clicks are loaded before the next run begins. Each visit has the headers of a browser. The counterpart is a bare \`node:http\` server that responds to every URL with the same 302 and the same headers, and records nothing. It gets the same URLs from the same load generator. CPU is that of the server's processes, without the database's. With \`PROCESSES=2\`, no core is reserved: two processes, the database and the load generator share both. The machine's load average was ${loadavg()[0]!.toFixed(1)} at the end, including other work.`,
    columns: ['', 'requests/s', 'CPU µs/request', 'p50 ms', 'p99 ms'],
    rows: [...measured.flatMap(({ sides }) => sides), two].map(row),
    targets: [
      ...goals,
      ...measured.map((one) => ({
        text: `\`${one.sync}\`: ${one.answered} redirects answered, ${one.counted.counters} clicks in the counters, ${one.counted.sums} in the sums of the workspace, ${one.counted.rows} rows, all of a run's ${(one.loadedMs / 1000).toFixed(1)} s after its end (median); those beyond the answers (at most ${one.cut}) are visits that the end of a run cut off.`,
        met: isCounted(one),
        always: true,
      })),
    ],
  };
};
