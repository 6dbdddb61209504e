/** Model calls under kills, in the short form; `npm run soak model-calls` is the long one. */
import { expect, test } from 'vitest';
import { callRounds, getErrors } from '../support/models/call-rounds.ts';
import { needs } from '../support/needs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const LINUX = needs('Linux', process.platform === 'linux');

test.each([1, 2])(
  'calls that are answered are counted once, and no budget is exceeded, on %i servers that are killed',
  { timeout: 240_000, ...LINUX },
  async (servers) => {
    await using folder = await temporaryFolder();
    const { random } = Math;
    const report = await callRounds({ folder: folder.path, servers, kills: 2, random, endLeases: true });
    expect(getErrors(report)).toEqual([]);
  },
);
