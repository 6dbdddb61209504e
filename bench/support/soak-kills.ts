/** Rounds of kills of the product while one channel is sent to and spoken from: what the soaks of channels share. */
import { getErrors } from '../../test/support/messaging-faults.ts';
import { type MessagingWorld, messagingRounds } from '../../test/support/messaging-rounds.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { messagingTable } from './messaging-table.ts';

/**
 * Prints a table. The process exits with 1 if anything was lost or did not complete.
 * @param start called with an empty folder
 * @param options `kills` of a soak that is given no number; `getChannelKills`: how often the other end is killed too
 */
export async function soakKills(
  start: (folder: string) => Promise<MessagingWorld>,
  options: { kills?: number; getChannelKills?: (kills: number) => number } = {},
): Promise<void> {
  await using folder = await temporaryFolder();
  const world = await start(folder.path);
  const kills = Number(process.argv[2] ?? options.kills ?? 20);
  const report = await messagingRounds(world, `${folder.path}/data`, kills, {
    report: (line) => console.error(line),
    channelKills: options.getChannelKills?.(kills),
  });
  console.log(messagingTable(report));
  const faults = getErrors(report, world);
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length ? 1 : 0;
}
