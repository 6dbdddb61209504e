/** Deliveries of a product that is killed at random instants, in the short form; `npm run soak deliveries` is the long one. */
import { expect, test } from 'vitest';
import { needs } from '../support/needs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { ENOUGH, deliveryRounds, getErrors } from '../support/delivery-rounds.ts';

const KILLS = 5;
const LINUX = needs('Linux', process.platform === 'linux');

test('what was acknowledged is delivered, whoever is killed', { timeout: 240_000, ...LINUX }, async () => {
  await using folder = await temporaryFolder();
  const report = await deliveryRounds(`${folder.path}/data`, KILLS);
  expect(getErrors(report)).toEqual([]);
  expect(report.acknowledged).toBeGreaterThan(ENOUGH);
  expect(report.received).toBeGreaterThan(report.acknowledged);
});
