/** What every driver must do, by email. */
import { describe } from 'vitest';
import { needs } from '../support/needs.ts';
import { describeDriver } from './suite/suite.ts';
import { startEmailHarness } from '../support/channels/email/email-harness.ts';
import { HAS_MAIL_SERVERS, MAIL_SERVERS } from '../support/channels/email/mail-servers.ts';

describe('conformance', needs(MAIL_SERVERS, HAS_MAIL_SERVERS), () => {
  describeDriver('email', startEmailHarness, process.env['CONFORMANCE'] === 'write');
});
