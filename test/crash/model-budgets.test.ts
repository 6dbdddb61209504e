/** Model calls at the same time on a small budget, in the short form; `npm run soak model-budgets` is the long one. */
import { expect, test } from 'vitest';
import { budgetRounds, CALLS, getErrors, LIMIT } from '../support/models/budget-rounds.ts';
import { needs } from '../support/needs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const LINUX = needs('Linux', process.platform === 'linux');

test('parallel calls never exceed a budget, whoever is killed', { timeout: 240_000, ...LINUX }, async () => {
  await using folder = await temporaryFolder();
  const { random } = Math;
  const report = await budgetRounds({ folder: folder.path, rounds: 3, kills: 2, random, endLeases: true });
  expect(getErrors(report)).toEqual([]);
  const undisturbed = report.rounds.filter(({ killed }) => !killed);
  expect(undisturbed.map(({ statuses }) => statuses)).toEqual(
    undisturbed.map(() => ({ 200: LIMIT, 402: CALLS - LIMIT })),
  );
});
