/** Rules of a product that is killed at random instants, in the short form; `npm run soak rules` is the long one. */
import { expect, test } from 'vitest';
import { needs } from '../support/needs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { ENOUGH, getErrors, ruleRounds } from '../support/rule-rounds.ts';

const KILLS = 3;
const LINUX = needs('Linux', process.platform === 'linux');

test('what an event starts is done once, whoever is killed', { timeout: 240_000, ...LINUX }, async () => {
  await using folder = await temporaryFolder();
  const report = await ruleRounds(`${folder.path}/data`, KILLS);
  expect(getErrors(report)).toEqual([]);
  expect(report.links).toBeGreaterThan(ENOUGH);
  expect(report.runs).toBe(2 * report.links);
  expect(report.messages).toBe(2 * report.links);
});
