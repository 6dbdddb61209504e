/**
 * Keys revoked under load, in the short form, however long it takes on this machine; `npm run soak -- revoke` holds it to a
 * second.
 */
import { expect, test } from 'vitest';
import { PATIENCE } from '../support/patience.ts';
import { needs } from '../support/needs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { revocationScenarios } from '../support/revocation-scenarios.ts';

const LINUX = needs('Linux', process.platform === 'linux');

test(
  'a revoked key ends everywhere, and nothing succeeds after that',
  { timeout: 240_000, ...LINUX },
  async () => {
    await using folder = await temporaryFolder();
    const results = await revocationScenarios({
      folder: folder.path,
      rounds: 1,
      stoppedMs: 2000,
      limitMs: PATIENCE.timeout,
    });
    expect(results.map(({ scenario }) => scenario)).toHaveLength(8);
    expect(results.flatMap(({ rounds }) => rounds.flatMap(({ faults }) => faults))).toEqual([]);
  },
);
