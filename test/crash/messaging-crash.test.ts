/** Messages of a product that is killed at random instants, in the short form; `npm run soak messages` is the long one. */
import { expect, test } from 'vitest';
import { needs } from '../support/needs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { getErrors } from '../support/messaging-faults.ts';
import { ENOUGH, messagingRounds } from '../support/messaging-rounds.ts';
import { sandboxWorld } from '../support/messaging-worlds.ts';

const KILLS = 5;
const LINUX = needs('Linux', process.platform === 'linux');

test(
  'what was acknowledged is sent once and in order, whoever is killed',
  { timeout: 240_000, ...LINUX },
  async () => {
    await using folder = await temporaryFolder();
    const world = sandboxWorld();
    const report = await messagingRounds(world, `${folder.path}/data`, KILLS);
    expect(getErrors(report, world)).toEqual([]);
    expect(report.acknowledged).toBeGreaterThan(ENOUGH.sent);
  },
);
