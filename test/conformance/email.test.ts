/** What every driver must do, by e-mail. */
import { describe } from 'vitest';
import { needs } from '../../src/testing/needs.ts';
import { describeDriver } from '../../src/messaging/channels/conformance/suite.ts';
import { startEmailHarness } from '../../src/messaging/channels/email/testing/email-harness.ts';
import { HAS_MAIL_SERVERS, MAIL_SERVERS } from '../../src/messaging/channels/email/testing/mail-servers.ts';

describe('conformance', needs(MAIL_SERVERS, HAS_MAIL_SERVERS), () => {
  describeDriver('email', startEmailHarness, process.env['CONFORMANCE'] === 'write');
});
