/** What every driver must do, by XMPP. */
import { describe } from 'vitest';
import { needs } from '../support/needs.ts';
import { describeDriver } from './suite/suite.ts';
import { HAS_PROSODY, PROSODY, startProsody } from '../support/channels/xmpp/prosody.ts';
import { startXmppHarness } from '../support/channels/xmpp/xmpp-harness.ts';

describe('conformance', needs(PROSODY, HAS_PROSODY), () => {
  describeDriver('xmpp', () => startXmppHarness(startProsody), process.env['CONFORMANCE'] === 'write');
});
