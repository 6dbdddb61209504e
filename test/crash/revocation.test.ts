/** Keys revoked under load, in the short form; `npm run soak revoke` is the long one. */
import { expect, test } from 'vitest';
import { needs } from '../support/needs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { revocationScenarios } from '../support/revocation-scenarios.ts';

const LINUX = needs('Linux', process.platform === 'linux');

test('nothing succeeds later than a second after a revocation', { timeout: 180_000, ...LINUX }, async () => {
  await using folder = await temporaryFolder();
  const results = await revocationScenarios({ folder: folder.path, rounds: 1, stoppedMs: 2000 });
  expect(results.map(({ scenario }) => scenario)).toHaveLength(8);
  expect(results.flatMap(({ rounds }) => rounds.flatMap(({ faults }) => faults))).toEqual([]);
});
