/** The rounds of kills with Twilio's emulator: `node bench/soak-twilio.ts [kills]` (20). Needs CHANNEL_TOOLS_DIR. */
import { twilioWorld } from '../test/support/twilio-world.ts';
import { soakKills } from './support/soak-kills.ts';

await soakKills(twilioWorld);
