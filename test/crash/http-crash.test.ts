/** A channel of one's own, of a product that is killed at random instants under load. */
import { expect, test } from 'vitest';
import { httpWorld } from '../support/http-world.ts';
import { getErrors } from '../support/messaging-faults.ts';
import { ENOUGH, messagingRounds } from '../support/messaging-rounds.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const KILLS = 5;

test(
  'messages that were acknowledged are sent once, and signals that were acknowledged are stored once',
  { timeout: 240_000 },
  async () => {
    await using folder = await temporaryFolder();
    const world = await httpWorld();
    const report = await messagingRounds(world, `${folder.path}/data`, KILLS);
    expect(getErrors(report, world)).toEqual([]);
    expect(report.acknowledged).toBeGreaterThan(ENOUGH.sent);
    expect(report.spoken).toBeGreaterThan(ENOUGH.said);
  },
);
