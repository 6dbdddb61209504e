/**
 * The long form of the crash test: `node bench/soak-crash.ts [kills]` (50). Prints a table, and ends with 1 when
 * anything acknowledged was lost, a start failed, a process was left over, or fsync was off.
 */
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { crashRounds, getErrors } from '../test/support/crash-rounds.ts';
import { markdownTable, median } from './support/figure.ts';

const kills = Number(process.argv[2] ?? 50);
await using folder = await temporaryFolder();
const report = await crashRounds(`${folder.path}/data`, kills, { report: (line) => console.error(line) });
const { server, postmaster, both, start } = report.kills;
console.log(
  markdownTable(
    [
      'kills (server, postmaster, both, while starting)',
      'acknowledged',
      'lost',
      'doubled',
      'event faults',
      'failed starts',
      'left over',
      'fsync',
      'start after a kill, median (longest) ms',
    ],
    [
      [
        `${server + postmaster + both + start} (${server}, ${postmaster}, ${both}, ${start})`,
        `${report.acknowledged}, of them ${report.resent} sent again`,
        report.lost,
        report.doubled,
        report.eventFaults,
        report.failedStarts,
        report.leftOver.length,
        report.fsync,
        `${median(report.starts).toFixed(0)} (${Math.max(...report.starts).toFixed(0)})`,
      ],
    ],
  ),
);
const faults = getErrors(report);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length ? 1 : 0;
