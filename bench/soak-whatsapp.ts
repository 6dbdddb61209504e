/**
 * The rounds of kills with WhatsApp: `node bench/soak-whatsapp.ts [kills]` (20), against a server of the tests that answers
 * as Meta's description says.
 */
import { whatsappWorld } from '../test/support/whatsapp-world.ts';
import { soakKills } from './support/soak-kills.ts';

await soakKills(whatsappWorld);
