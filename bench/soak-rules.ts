/**
 * The long form of the test of rules under kills: `node bench/soak-rules.ts [kills]` (20). Prints what was counted, and ends
 * with 1 when anything was lost, was done twice, or did not end.
 */
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { getErrors, ruleRounds } from '../test/support/rule-rounds.ts';

const kills = Number(process.argv[2] ?? 20);
await using folder = await temporaryFolder();
const report = await ruleRounds(`${folder.path}/data`, kills, { report: (line) => console.error(line) });
const { links, acknowledged, runs, messages, calls, callsAgain, drainedMs } = report;
console.log(`kills: ${JSON.stringify(report.kills)}`);
console.log(`links: ${links}, of which ${acknowledged} acknowledged`);
console.log(`runs that succeeded: ${runs}; messages at the other end: ${messages}`);
console.log(`calls: ${calls}, of which ${callsAgain} again under the same id`);
console.log(`all done ${(drainedMs / 1000).toFixed(1)} s after the last link`);
const faults = getErrors(report);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length ? 1 : 0;
