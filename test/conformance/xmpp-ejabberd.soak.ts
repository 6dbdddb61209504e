/** What every driver must do, by XMPP on ejabberd; xmpp.test.ts is the same on Prosody. */
import { describe } from 'vitest';
import { needs } from '../support/needs.ts';
import { describeDriver } from './suite/suite.ts';
import { EJABBERD, HAS_EJABBERD, startEjabberd } from '../support/channels/xmpp/ejabberd.ts';
import { startXmppHarness } from '../support/channels/xmpp/xmpp-harness.ts';

describe('conformance', needs(EJABBERD, HAS_EJABBERD), () => {
  describeDriver('xmpp', () => startXmppHarness(startEjabberd), process.env['CONFORMANCE'] === 'write');
});
