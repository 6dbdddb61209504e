/** Telegram of a product that is killed at random instants, in the short form; `npm run soak telegram` is the long one. */
import { expect, test } from 'vitest';
import { telegramWorld } from '../support/channels/telegram/telegram-world.ts';
import { getErrors } from '../support/messaging-faults.ts';
import { ENOUGH, messagingRounds } from '../support/messaging-rounds.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const KILLS = 3;

test(
  'messages that were acknowledged are sent or said to be uncertain, and what came is taken in once, whoever is killed',
  { timeout: 240_000 },
  async () => {
    await using folder = await temporaryFolder();
    const world = await telegramWorld();
    const report = await messagingRounds(world, `${folder.path}/data`, KILLS);
    expect(getErrors(report, world)).toEqual([]);
    expect(report.acknowledged).toBeGreaterThan(ENOUGH.sent);
    expect(report.spoken).toBeGreaterThan(ENOUGH.said);
  },
);
