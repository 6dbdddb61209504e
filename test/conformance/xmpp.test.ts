/** What every driver must do, by XMPP. */
import { describe } from 'vitest';
import { needs } from '../../src/testing/needs.ts';
import { describeDriver } from '../../src/messaging/channels/conformance/suite.ts';
import { HAS_PROSODY, PROSODY, startProsody } from '../../src/messaging/channels/xmpp/testing/prosody.ts';
import { startXmppHarness } from '../../src/messaging/channels/xmpp/testing/xmpp-harness.ts';

describe('conformance', needs(PROSODY, HAS_PROSODY), () => {
  describeDriver('xmpp', () => startXmppHarness(startProsody), process.env['CONFORMANCE'] === 'write');
});
