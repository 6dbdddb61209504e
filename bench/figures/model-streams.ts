/** Model calls that stream: through Fairlead, through a bare relay, and directly to the same provider. */
import { loadavg } from 'node:os';
import { percentile } from '../../test/support/percentile.ts';
import { getCpu, getPss } from '../../test/support/processes.ts';
import { WHERE } from '../support/cores.ts';
import { type Bench, median } from '../support/figure.ts';
import {
  loadStreams,
  MODEL,
  type ModelBench,
  openModelBench,
  startStreamRelay,
  startStreamUpstream,
} from '../support/model-streams.ts';
import type { StreamResult } from '../support/stream-load.ts';

const STREAMS = 500;
const CHUNKS = 100;
const EVERY_MS = 100;
const MIN_RATIO = 0.9;
const MAX_ADDED_MS = 10;

interface Run extends StreamResult {
  /** Of Fairlead, at the end. */
  megabytes: number;
  cpuShare: number;
}

const chunksPerSecond = (run: Run): number => run.chunks / run.seconds;
const firstByte = (runs: Run[], share: number): number =>
  percentile(
    runs.flatMap(({ firstByteMs }) => firstByteMs),
    share,
  );

export const modelStreams: Bench = async ({ quick, report }) => {
  const seconds = quick ? 2 : 20;
  const rounds = quick ? 1 : 3;
  const streams = quick ? 50 : STREAMS;
  const chunks = quick ? 10 : CHUNKS;
  await using upstream = await startStreamUpstream();
  await using relay = await startStreamRelay(upstream.url);
  await using bench: ModelBench = await openModelBench(upstream.url);
  const sides = {
    Fairlead: { url: bench.url, key: bench.key, model: `bench/${MODEL}` },
    'bare relay': { url: relay.url, key: 'none', model: MODEL },
    direct: { url: upstream.url, key: 'none', model: MODEL },
  };
  const runs: Record<keyof typeof sides, Run[]> = { Fairlead: [], 'bare relay': [], direct: [] };
  const measure = async (name: keyof typeof sides, length: number): Promise<Run> => {
    const [before, since] = [getCpu(bench.pids), performance.now()];
    const result = await loadStreams({
      ...sides[name],
      streams,
      chunks,
      everyMs: EVERY_MS,
      seconds: length,
    });
    const cpuShare = (getCpu(bench.pids) - before) / (performance.now() - since);
    return { ...result, megabytes: getPss(bench.pids), cpuShare };
  };
  if (!quick) await measure('Fairlead', 2);
  const names = Object.keys(sides) as (keyof typeof sides)[];
  for (let round = 0; round < rounds; round += 1) {
    for (const name of round % 2 ? names.toReversed() : names) runs[name].push(await measure(name, seconds));
    report(
      `model streams, round ${round + 1}: ${names.map((name) => `${name} ${chunksPerSecond(runs[name].at(-1)!).toFixed(0)} chunks/s, p99 ${firstByte([runs[name].at(-1)!], 0.99).toFixed(1)} ms`).join('; ')}`,
    );
  }
  const ratio = median(
    runs.Fairlead.map((run, nth) => chunksPerSecond(run) / chunksPerSecond(runs.direct[nth]!)),
  );
  const addedBy = (name: keyof typeof sides): number =>
    firstByte(runs[name], 0.99) - firstByte(runs.direct, 0.99);
  const added = addedBy('Fairlead');
  const memory = runs.Fairlead.map(({ megabytes }) => megabytes);
  return {
    title: `${streams} model calls that stream at the same time`,
    method: `${streams} clients, each of which opens the next stream when the previous one has ended: ${chunks} chunks of the size that OpenAI sends, one every ${EVERY_MS} ms; ${rounds} runs of ${seconds} s for each side, alternated; ${WHERE}, the provider on the load's core, the database on the server's. Through Fairlead, each call is authenticated, reserved in a budget, relayed while its usage is read, settled and recorded. The bare relay is a node:http server on the server's core that only pipes. First byte: from the request to the first byte of the body. CPU is that of Fairlead's processes, without the database's. The machine's load average was ${loadavg()[0]!.toFixed(1)} at the end, including other work.`,
    columns: ['', 'chunks/s', 'first byte p50 ms', 'p99 ms', 'Fairlead’s CPU, % of a core', 'its memory, MB'],
    rows: names.map((name) => [
      name,
      median(runs[name].map(chunksPerSecond)).toFixed(0),
      firstByte(runs[name], 0.5).toFixed(1),
      firstByte(runs[name], 0.99).toFixed(1),
      name !== 'Fairlead' ? '' : (100 * median(runs[name].map(({ cpuShare }) => cpuShare))).toFixed(0),
      name !== 'Fairlead' ? '' : memory.at(-1)!.toFixed(0),
    ]),
    targets: [
      {
        text: `${ratio.toFixed(3)} of the direct throughput (target: at least ${MIN_RATIO}).`,
        met: ratio >= MIN_RATIO,
      },
      {
        text: `${added.toFixed(1)} ms more to the first byte at p99 (target: less than ${MAX_ADDED_MS} ms). The bare relay adds ${addedBy('bare relay').toFixed(1)} ms: what a further process costs on this machine.`,
        met: added < MAX_ADDED_MS,
      },
      {
        text: `Memory of Fairlead at the end of each run: ${memory.map((one) => one.toFixed(0)).join(', ')} MB. \`node bench/soak-model-streams.ts\` holds the streams for 30 minutes.`,
        met: true,
      },
    ],
  };
};
