/** Mail servers that go away and come back, in the short form; `npm run soak mail-outage` is the long one. */
import { expect, test } from 'vitest';
import { HAS_MAIL_SERVERS, MAIL_SERVERS } from '../support/channels/email/mail-servers.ts';
import { needs } from '../support/needs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { mailOutage } from '../support/mail-outage.ts';

test(
  'accounts whose servers were away are connected again, and nothing is lost or doubled',
  { timeout: 240_000, ...needs(MAIL_SERVERS, HAS_MAIL_SERVERS) },
  async () => {
    await using folder = await temporaryFolder();
    const report = await mailOutage(folder.path, 4, 3_000);
    expect(report.back).toHaveLength(4);
    expect([report.arrived, report.doubled]).toEqual([report.accepted, 0]);
    expect(report.stored).toBe(report.sentToUs);
  },
);
