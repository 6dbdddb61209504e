/** Publishing by a product that is killed at random instants, in the short form; `npm run soak publish` is the long one. */
import { expect, test } from 'vitest';
import { needs } from '../support/needs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { ENOUGH, faultsOfPublishing, publishRounds } from '../support/publish-rounds.ts';

const KILLS = 5;
const LINUX = needs('Linux', process.platform === 'linux');

test(
  'what was answered 202 is published once for each destination, whoever is killed',
  { timeout: 240_000, ...LINUX },
  async () => {
    await using folder = await temporaryFolder();
    const report = await publishRounds(`${folder.path}/data`, KILLS);
    expect(faultsOfPublishing(report)).toEqual([]);
    expect(report.acknowledged).toBeGreaterThan(ENOUGH);
  },
);
