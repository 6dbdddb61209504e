/** What every driver must do, by XMPP on ejabberd; xmpp-conformance.test.ts is the same on Prosody. */
import { describe } from 'vitest';
import { needs } from '../../../testing/needs.ts';
import { describeDriver } from '../conformance/suite.ts';
import { EJABBERD, HAS_EJABBERD, startEjabberd } from './testing/ejabberd.ts';
import { startXmppHarness } from './testing/xmpp-harness.ts';

describe('conformance', needs(EJABBERD, HAS_EJABBERD), () => {
  describeDriver('xmpp', () => startXmppHarness(startEjabberd), process.env['CONFORMANCE'] === 'write');
});
