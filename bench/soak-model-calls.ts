/**
 * The long form of the test of model calls under kills: `node bench/soak-model-calls.ts [kills]` (20), on one server, then
 * on two. Leases of killed servers end by time. Ends with 1 if a call was lost or counted twice, or a budget was exceeded.
 */
import { callRounds, getErrors } from '../test/support/models/call-rounds.ts';
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { markdownTable } from './support/figure.ts';

const kills = Number(process.argv[2] ?? 20);
const rows: (string | number)[][] = [];
const faults: string[] = [];
for (const servers of [1, 2]) {
  await using folder = await temporaryFolder();
  const report = await callRounds({
    folder: folder.path,
    servers,
    kills,
    random: Math.random,
    endLeases: false,
    report: (line) => console.error(line),
  });
  const sum = (pick: (key: (typeof report.keys)[number]) => number): number =>
    report.keys.reduce((total, key) => total + pick(key), 0);
  rows.push([
    servers,
    kills,
    report.journaled,
    sum(({ answered }) => answered),
    sum(({ statuses }) => statuses[402] ?? 0),
    sum(({ brokenOff }) => brokenOff),
    sum(({ interrupted }) => interrupted),
    sum(({ missing }) => missing),
    sum(({ wrong }) => wrong),
    sum(({ doubled, receivedAgain }) => doubled + receivedAgain),
    report.keys.filter(({ used, limit }) => used > limit).length,
  ]);
  faults.push(...getErrors(report).map((fault) => `${servers} servers: ${fault}`));
}
console.log(
  markdownTable(
    [
      'servers',
      'kills',
      'records in journals before kills',
      'answered',
      '402',
      'broken off',
      'interrupted',
      'answered, but lost',
      'answered, but interrupted',
      'twice',
      'budgets exceeded',
    ],
    rows,
  ),
);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length ? 1 : 0;
