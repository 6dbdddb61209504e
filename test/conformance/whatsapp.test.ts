/** What every driver must do, by WhatsApp. Its requests are validated against Meta's description; it is not WhatsApp. */
import { describe } from 'vitest';
import { CHANNEL_TOOLS, HAS_CHANNEL_TOOLS } from '../support/channels/channel-tools.ts';
import { startWhatsappHarness } from '../support/channels/whatsapp/whatsapp-harness.ts';
import { needs } from '../support/needs.ts';
import { describeDriver } from './suite/suite.ts';

describe('conformance', needs(CHANNEL_TOOLS, HAS_CHANNEL_TOOLS), () => {
  describeDriver('whatsapp', startWhatsappHarness, process.env['CONFORMANCE'] === 'write');
});
