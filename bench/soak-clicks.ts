/**
 * The long form of the test of clicks under kills: `node bench/soak-clicks.ts [kills]` (50), once with each CLICK_SYNC.
 * Prints a table, and ends with 1 when a click is lost or doubled, or sums disagree.
 */
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { clickRounds, getErrors } from '../test/support/click-rounds.ts';
import { markdownTable } from './support/figure.ts';

const kills = Number(process.argv[2] ?? 50);
const rows: (string | number)[][] = [];
for (const sync of ['write', 'fdatasync'] as const) {
  await using folder = await temporaryFolder();
  const report = await clickRounds(`${folder.path}/data`, kills, {
    sync,
    report: (line) => console.error(line),
  });
  const { server, postmaster, both, start } = report.kills;
  rows.push([
    sync,
    `${server + postmaster + both + start} (${server}, ${postmaster}, ${both}, ${start})`,
    report.answered,
    report.unanswered,
    report.refused,
    report.clicks,
    report.counted,
    report.summedUp,
    report.lost,
    report.doubled,
  ]);
  const faults = getErrors(report);
  for (const fault of faults) console.error(fault);
  if (faults.length) process.exitCode = 1;
}
console.log(
  markdownTable(
    [
      'CLICK_SYNC',
      'kills (server, postmaster, both, while starting)',
      'visits sent on',
      'recorded, but the answer cut off',
      'refused',
      'clicks in the database',
      'in counters',
      'in roll-ups',
      'lost',
      'doubled',
    ],
    rows,
  ),
);
