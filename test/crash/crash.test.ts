/** The whole product killed at random instants, in the short form; `npm run soak crash` is the long one. */
import { expect, test } from 'vitest';
import { needs } from '../support/needs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { ENOUGH, crashRounds, getErrors } from '../support/crash-rounds.ts';

const KILLS = 5;
const LINUX = needs('Linux', process.platform === 'linux');

test('what was acknowledged outlives any kill', { timeout: 240_000, ...LINUX }, async () => {
  await using folder = await temporaryFolder();
  const report = await crashRounds(`${folder.path}/data`, KILLS);
  expect(getErrors(report)).toEqual([]);
  expect(report.acknowledged).toBeGreaterThan(ENOUGH);
});
