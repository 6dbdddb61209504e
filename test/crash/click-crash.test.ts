/** Clicks of a product that is killed at random instants, in the short form; `npm run soak clicks` is the long one. */
import { expect, test } from 'vitest';
import { needs } from '../support/needs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { ENOUGH, clickRounds, getErrors } from '../support/click-rounds.ts';

const KILLS = 5;
const LINUX = needs('Linux', process.platform === 'linux');

test(
  'visits that were sent on are clicks, once, whoever is killed',
  { timeout: 240_000, ...LINUX },
  async () => {
    await using folder = await temporaryFolder();
    const report = await clickRounds(`${folder.path}/data`, KILLS);
    expect(getErrors(report)).toEqual([]);
    expect(report.answered).toBeGreaterThan(ENOUGH);
  },
);
