/** What every driver must do, by XMPP. */
import { describe } from 'vitest';
import { needs } from '../../../testing/needs.ts';
import { describeDriver } from '../conformance/suite.ts';
import { HAS_PROSODY, PROSODY } from './testing/prosody.ts';
import { startXmppHarness } from './testing/xmpp-harness.ts';

describe('conformance', needs(PROSODY, HAS_PROSODY), () => {
  describeDriver('xmpp', startXmppHarness, process.env['CONFORMANCE'] === 'write');
});
