/** A database that goes away under visitors, in the short form; `npm run soak click-outage` is the long one. */
import { expect, test } from 'vitest';
import { needs } from '../support/needs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { clickOutage, OUTAGES } from '../support/click-outage.ts';
import { ENOUGH, getErrors } from '../support/click-rounds.ts';

const OUTAGE_MS = 6_000;
const LINUX = needs('Linux', process.platform === 'linux');

test.for(OUTAGES)(
  'with a database that is %s, links in memory are followed at once, and each visit is a click afterwards',
  { timeout: 240_000, ...LINUX },
  async (outage) => {
    await using folder = await temporaryFolder();
    const report = await clickOutage(folder.path, outage, OUTAGE_MS);
    expect(getErrors(report)).toEqual([]);
    expect([report.refused, report.unanswered]).toEqual([0, 0]);
    expect(report.answered).toBe(report.clicks);
    expect(report.meanwhile).toBeGreaterThan(ENOUGH);
  },
);
