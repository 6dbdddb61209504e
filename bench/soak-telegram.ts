/**
 * The rounds of kills with Telegram: `node bench/soak-telegram.ts [kills]` (20), against an emulator of the Bot API.
 * Counts duplicates and `delivery_unknown`, because the Bot API can't be asked what was sent. Prints a table, and exits
 * with 1 if anything was lost or did not complete.
 */
import { temporaryFolder } from '../test/support/temporary-folder.ts';
import { telegramWorld } from '../test/support/channels/telegram/telegram-world.ts';
import { getErrors } from '../test/support/messaging-faults.ts';
import { messagingRounds } from '../test/support/messaging-rounds.ts';
import { messagingTable } from './support/messaging-table.ts';

const kills = Number(process.argv[2] ?? 20);
await using folder = await temporaryFolder();
const world = await telegramWorld();
const report = await messagingRounds(world, `${folder.path}/data`, kills, {
  report: (line) => console.error(line),
});
console.log(messagingTable(report));
const faults = getErrors(report, world);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length ? 1 : 0;
