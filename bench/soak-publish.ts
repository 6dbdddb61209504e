/**
 * The long form of the test of publishing under kills: `node bench/soak-publish.ts [kills]` (50). Prints a table, and ends
 * with 1 when anything was lost, doubled, out of order, or did not end.
 */
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { faultsOfPublishing, publishRounds } from '../test/support/publish-rounds.ts';
import { killedIn } from '../test/support/killing.ts';

const kills = Number(process.argv[2] ?? 50);
await using folder = await temporaryFolder();
const report = await publishRounds(`${folder.path}/data`, kills, { report: (line) => console.error(line) });
const { server, postmaster, both, start } = report.kills;
const rows: [string, string | number][] = [
  ['kills', killedIn(report)],
  ['of the server, the database, both, at a start', [server, postmaster, both, start].join(', ')],
  ['answered 202', report.acknowledged],
  ['of them not published to both destinations', report.unfinished.length],
  ['lost at a destination', report.lost],
  ['heard twice by a destination', report.doubled],
  ['heard before an earlier one', report.misordered],
  ['stored, with no answer for the kill', report.unanswered],
];
console.log(['| | |', '| --- | ---: |', ...rows.map(([what, count]) => `| ${what} | ${count} |`)].join('\n'));
const faults = faultsOfPublishing(report);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length ? 1 : 0;
