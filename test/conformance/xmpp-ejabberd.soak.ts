/** What every driver must do, by XMPP on ejabberd; xmpp.test.ts is the same on Prosody. */
import { describe } from 'vitest';
import { needs } from '../../src/testing/needs.ts';
import { describeDriver } from '../../src/messaging/channels/conformance/suite.ts';
import { EJABBERD, HAS_EJABBERD, startEjabberd } from '../../src/messaging/channels/xmpp/testing/ejabberd.ts';
import { startXmppHarness } from '../../src/messaging/channels/xmpp/testing/xmpp-harness.ts';

describe('conformance', needs(EJABBERD, HAS_EJABBERD), () => {
  describeDriver('xmpp', () => startXmppHarness(startEjabberd), process.env['CONFORMANCE'] === 'write');
});
