/**
 * The long form of the test of messages under kills: `node bench/soak-messages.ts [kills]` (50), on the sandbox. Prints a
 * table, and ends with 1 when anything was lost, doubled, out of order, or did not end.
 */
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { getErrors } from '../test/support/messaging-faults.ts';
import { messagingRounds } from '../test/support/messaging-rounds.ts';
import { sandboxWorld } from '../test/support/messaging-worlds.ts';
import { messagingTable } from './support/messaging-table.ts';

const kills = Number(process.argv[2] ?? 50);
await using folder = await temporaryFolder();
const world = sandboxWorld();
const report = await messagingRounds(world, `${folder.path}/data`, kills, {
  report: (line) => console.error(line),
});
console.log(messagingTable(report));
const faults = getErrors(report, world);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length ? 1 : 0;
