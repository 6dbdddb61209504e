/**
 * The rounds of kills with XMPP: `node bench/soak-xmpp.ts [kills]` (50), against Prosody, which is killed too, a fifth as
 * often. Prints a table, and ends with 1 when anything was lost, doubled, out of order, or did not end.
 */
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { getErrors } from '../test/support/messaging-faults.ts';
import { messagingRounds } from '../test/support/messaging-rounds.ts';
import { xmppWorld } from '../test/support/xmpp-world.ts';
import { messagingTable } from './support/messaging-table.ts';

const kills = Number(process.argv[2] ?? 50);
await using folder = await temporaryFolder();
const world = await xmppWorld(folder.path);
const report = await messagingRounds(world, `${folder.path}/data`, kills, {
  report: (line) => console.error(line),
  channelKills: Math.ceil(kills / 5),
});
console.log(messagingTable(report));
const faults = getErrors(report, world);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length ? 1 : 0;
