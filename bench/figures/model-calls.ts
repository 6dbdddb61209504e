/** Model calls one after the other and many at once: through Fairlead, through another gateway, and directly. */
import { loadavg } from 'node:os';
import { HAS_PORTKEY, portkeyHeaders, startPortkey } from '../../test/support/models/model-tools.ts';
import { percentile } from '../../test/support/percentile.ts';
import { getCpu } from '../../test/support/processes.ts';
import { onServerCore, WHERE } from '../support/cores.ts';
import { type Bench, median } from '../support/figure.ts';
import {
  loadCalls,
  MODEL,
  type ModelBench,
  openModelBench,
  startStreamUpstream,
} from '../support/model-streams.ts';

const AT_ONCE = 32;
const MAX_ADDED_P50_MS = 1;
const MAX_ADDED_P99_MS = 5;
const MIN_RATIO = 2;

interface Run {
  /** One after the other. */
  p50: number;
  p99: number;
  /** At AT_ONCE. */
  callsPerSecond: number;
  /** Of Fairlead, at AT_ONCE. */
  cpuMs: number;
}

interface Side {
  name: string;
  url: string;
  key: string;
  model: string;
  headers?: Record<string, string>;
  runs: Run[];
}

export const modelCalls: Bench = async ({ quick, report }) => {
  const seconds = quick ? 1 : 6;
  const rounds = quick ? 1 : 5;
  await using upstream = await startStreamUpstream();
  await using bench: ModelBench = await openModelBench(upstream.url);
  await using portkey = HAS_PORTKEY ? await startPortkey(onServerCore) : null;

  const fairlead: Side = {
    name: 'Fairlead',
    url: bench.url,
    key: bench.key,
    model: `bench/${MODEL}`,
    runs: [],
  };
  const other: Side | null = portkey && {
    name: 'Portkey',
    url: portkey.url,
    key: 'none',
    model: MODEL,
    headers: portkeyHeaders(upstream.url),
    runs: [],
  };
  const direct: Side = { name: 'direct', url: upstream.url, key: 'none', model: MODEL, runs: [] };
  const sides = [fairlead, ...(other ? [other] : []), direct];
  const measure = async ({ runs, ...side }: Side): Promise<void> => {
    const alone = (await loadCalls({ ...side, clients: 1, seconds })).durationsMs;
    const before = getCpu(bench.pids);
    const { durationsMs, seconds: taken } = await loadCalls({ ...side, clients: AT_ONCE, seconds });
    runs.push({
      p50: percentile(alone, 0.5),
      p99: percentile(alone, 0.99),
      callsPerSecond: durationsMs.length / taken,
      cpuMs: (getCpu(bench.pids) - before) / durationsMs.length,
    });
  };
  if (!quick) for (const side of sides) await measure({ ...side, runs: [] });
  for (let round = 0; round < rounds; round += 1) {
    for (const side of round % 2 ? sides.toReversed() : sides) await measure(side);
    const shown = sides.map(({ name, runs }) => {
      const { p50, p99, callsPerSecond } = runs.at(-1)!;
      return `${name} ${p50.toFixed(2)} ms, p99 ${p99.toFixed(1)} ms, ${callsPerSecond.toFixed(0)}/s`;
    });
    report(`model calls, round ${round + 1}: ${shown.join('; ')}`);
  }

  const of = ({ runs }: Side, key: keyof Run): number => median(runs.map((run) => run[key]));
  const added = (side: Side, key: 'p50' | 'p99'): number =>
    median(side.runs.map((run, nth) => run[key] - direct.runs[nth]![key]));
  const ratio = other
    ? median(fairlead.runs.map((run, nth) => run.callsPerSecond / other.runs[nth]!.callsPerSecond))
    : null;
  const addedByOther = (key: 'p50' | 'p99'): string =>
    other ? ` Portkey adds ${added(other, key).toFixed(2)} ms.` : '';
  return {
    title: 'Model calls',
    method: `Chat completions that don't stream, from a provider that responds at once: one after the other, and by ${AT_ONCE} clients, each of which sends the next call when the previous one was answered; ${rounds} runs of ${seconds} s of each, alternated; medians; every response asserted; ${WHERE}, the provider on the load's core, the database on the server's. Through Fairlead, each call is authenticated by a key, reserved in a budget in US dollars, settled, counted and recorded. Portkey is the npm package @portkey-ai/gateway 1.15.2 on the server's core, which has no keys, budgets or records${other ? '' : ' (not installed in this run)'}. CPU is that of Fairlead's processes, without the database's. The machine's load average was ${loadavg()[0]!.toFixed(1)} at the end, including other work.`,
    columns: ['', 'p50 ms', 'p99 ms', `calls/s at ${AT_ONCE}`, 'Fairlead’s CPU, ms/call'],
    rows: sides.map((side) => [
      side.name,
      of(side, 'p50').toFixed(2),
      of(side, 'p99').toFixed(2),
      of(side, 'callsPerSecond').toFixed(0),
      side === fairlead ? of(side, 'cpuMs').toFixed(2) : '',
    ]),
    targets: [
      {
        text: `${added(fairlead, 'p50').toFixed(2)} ms more than direct at p50 (target: at most ${MAX_ADDED_P50_MS} ms).${addedByOther('p50')}`,
        met: added(fairlead, 'p50') <= MAX_ADDED_P50_MS,
      },
      {
        text: `${added(fairlead, 'p99').toFixed(2)} ms more than direct at p99 (target: at most ${MAX_ADDED_P99_MS} ms).${addedByOther('p99')}`,
        met: added(fairlead, 'p99') <= MAX_ADDED_P99_MS,
      },
      ...(ratio === null
        ? []
        : [
            {
              text: `${ratio.toFixed(2)} of Portkey's rate at ${AT_ONCE} (target: at least ${MIN_RATIO}).`,
              met: ratio >= MIN_RATIO,
            },
          ]),
    ],
  };
};
