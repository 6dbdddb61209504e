/**
 * 500 model calls that stream at the same time, for long: `node bench/soak-model-streams.ts [minutes]` (30). Prints memory
 * and throughput for each minute, and ends with 1 if a call failed, or memory grew by more than a tenth in the second half
 * of a run of ten minutes or more: in a shorter one, a server that just started is still growing.
 */
import { getPss } from '../test/support/processes.ts';
import { loadStreams, MODEL, openModelBench, startStreamUpstream } from './support/model-streams.ts';
import { markdownTable, median } from './support/figure.ts';

const STREAMS = 500;
const CHUNKS = 100;
const EVERY_MS = 100;
const SAMPLE_MS = 5_000;
const MAX_GROWTH = 1.1;
const JUDGED_MINUTES = 10;

const minutes = Number(process.argv[2] ?? 30);
await using upstream = await startStreamUpstream();
await using bench = await openModelBench(upstream.url);
const samples: { minute: number; megabytes: number }[] = [];
const since = performance.now();
const timer = setInterval(() => {
  const minute = (performance.now() - since) / 60_000;
  samples.push({ minute, megabytes: getPss(bench.pids) });
}, SAMPLE_MS);
const result = await loadStreams({
  url: bench.url,
  key: bench.key,
  model: `bench/${MODEL}`,
  streams: STREAMS,
  chunks: CHUNKS,
  everyMs: EVERY_MS,
  seconds: minutes * 60,
});
clearInterval(timer);
const inPart = (from: number, to: number): number[] =>
  samples
    .filter(({ minute }) => minute >= from * minutes && minute < to * minutes)
    .map(({ megabytes }) => megabytes);
const PARTS = 10;
const rows = Array.from({ length: PARTS }, (_, nth) => {
  const part = inPart(nth / PARTS, (nth + 1) / PARTS);
  return [
    `${((nth * minutes) / PARTS).toFixed(1)} to ${(((nth + 1) * minutes) / PARTS).toFixed(1)}`,
    median(part).toFixed(0),
    Math.max(...part).toFixed(0),
  ];
});
console.log(markdownTable(['minutes', 'median MB', 'highest MB'], rows));
console.log(
  `${STREAMS} streams for ${minutes} min: ${result.ended} ended, ${(result.chunks / result.seconds).toFixed(0)} chunks/s`,
);
const growth = median(inPart(0.75, 1)) / median(inPart(0.25, 0.5));
console.log(`memory in the last quarter is ${growth.toFixed(3)} of that in the second`);
process.exitCode = minutes >= JUDGED_MINUTES && growth > MAX_GROWTH ? 1 : 0;
