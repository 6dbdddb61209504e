/**
 * The long form of the test of a database that goes away under visitors of short links:
 * `node bench/soak-click-outage.ts [seconds]` (60), once stopped and once frozen.
 * Prints a table, and ends with 1 when a visit failed, or a click is lost or doubled.
 */
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { clickOutage, OUTAGES } from '../test/support/click-outage.ts';
import { getErrors } from '../test/support/click-rounds.ts';
import { markdownTable } from './support/figure.ts';

const seconds = Number(process.argv[2] ?? 60);
const rows: (string | number)[][] = [];
for (const outage of OUTAGES) {
  await using folder = await temporaryFolder();
  const report = await clickOutage(folder.path, outage, seconds * 1000);
  rows.push([
    `${outage} for ${seconds} s`,
    report.answered,
    report.meanwhile,
    report.refused + report.unanswered,
    report.slowestMs.toFixed(0),
    [...new Set(report.ready)].join(', '),
    report.clicks,
    (report.loadedMs / 1000).toFixed(1),
    report.lost,
    report.doubled,
  ]);
  const faults = getErrors(report);
  if (report.refused + report.unanswered > 0) faults.push('visits of links in memory failed');
  for (const fault of faults) console.error(fault);
  if (faults.length) process.exitCode = 1;
}
console.log(
  markdownTable(
    [
      'database',
      'visits sent on',
      'meanwhile',
      'failed',
      'slowest, ms',
      '/readyz meanwhile',
      'clicks in the database',
      'all there after, s',
      'lost',
      'doubled',
    ],
    rows,
  ),
);
