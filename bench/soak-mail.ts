/**
 * The rounds of kills with email: `node bench/soak-mail.ts [kills]` (50), against Dovecot and Postfix. Doubles and
 * `delivery_unknown` are counted, for a mail server can't be asked what became of a mail. Prints a table, and ends with 1
 * when anything was lost, or did not end.
 */
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { mailWorld } from '../test/support/mail-world.ts';
import { getErrors } from '../test/support/messaging-faults.ts';
import { messagingRounds } from '../test/support/messaging-rounds.ts';
import { messagingTable } from './support/messaging-table.ts';

const kills = Number(process.argv[2] ?? 50);
await using folder = await temporaryFolder();
const world = await mailWorld(folder.path);
const report = await messagingRounds(world, `${folder.path}/data`, kills, {
  report: (line) => console.error(line),
});
console.log(messagingTable(report));
const faults = getErrors(report, world);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length ? 1 : 0;
