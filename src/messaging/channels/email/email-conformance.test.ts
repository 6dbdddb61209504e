/** What every driver must do, by e-mail. */
import { describe } from 'vitest';
import { needs } from '../../../testing/needs.ts';
import { describeDriver } from '../conformance/suite.ts';
import { startEmailHarness } from './testing/email-harness.ts';
import { HAS_MAIL_SERVERS, MAIL_SERVERS } from './testing/mail-servers.ts';

describe('conformance', needs(MAIL_SERVERS, HAS_MAIL_SERVERS), () => {
  describeDriver('email', startEmailHarness, process.env['CONFORMANCE'] === 'write');
});
