/**
 * Many XMPP accounts at one server: `node bench/soak-xmpp-many.ts [accounts [seconds]]` (200, 60). What they take in memory and
 * CPU, idle for so many seconds, and how they come back after their server was away for as long. Prints tables, and ends with 1
 * when anything was lost or doubled.
 */
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { xmppMany } from '../test/support/xmpp-many.ts';
import { markdownTable, median } from './support/figure.ts';

const BUCKET_MS = 2_000;
const accounts = Number(process.argv[2] ?? 200);
const lengthMs = Number(process.argv[3] ?? 60) * 1000;
await using folder = await temporaryFolder();
const report = await xmppMany(folder.path, accounts, {
  idleMs: lengthMs,
  awayMs: lengthMs,
  report: (line) => console.error(line),
});
const [before, after] = report.memory;
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
const inSeconds = (ms: number): string => (ms / 1000).toFixed(1);
console.log(
  markdownTable(
    [
      'accounts',
      'MB before, after',
      'kB for each',
      'all connected after, s',
      'idle CPU: server, all processes',
      'back after the return: first, median, last, s',
      'accepted while away',
      'arrived',
      'doubled',
      'sent to them',
      'stored',
      'stored twice',
    ],
    [
      [
        report.accounts,
        `${before.toFixed(0)}, ${after.toFixed(0)}`,
        (((after - before) * 1000) / report.accounts).toFixed(0),
        inSeconds(report.connectedMs),
        report.idleCpu.map(percent).join(', '),
        [Math.min(...report.back), median(report.back), Math.max(...report.back)].map(inSeconds).join(', '),
        report.accepted,
        report.arrived,
        report.doubled,
        report.sentToUs,
        report.stored,
        report.storedTwice,
      ],
    ],
  ),
);
const buckets = new Map<number, number>();
for (const ms of report.back) {
  const bucket = Math.floor(ms / BUCKET_MS);
  buckets.set(bucket, (buckets.get(bucket) ?? 0) + 1);
}
const rows = [...buckets].toSorted(([a], [b]) => a - b);
console.log(
  `\n${markdownTable(
    ['s after the return', 'connected again'],
    rows.map(([bucket, count]) => [
      `${inSeconds(bucket * BUCKET_MS)}–${inSeconds((bucket + 1) * BUCKET_MS)}`,
      count,
    ]),
  )}`,
);
const isWhole =
  report.arrived === report.accepted &&
  report.stored === report.sentToUs &&
  report.doubled + report.storedTwice === 0;
process.exitCode = isWhole ? 0 : 1;
