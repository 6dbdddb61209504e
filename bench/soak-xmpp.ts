/**
 * The rounds of kills with XMPP: `node bench/soak-xmpp.ts [kills]` (50), against Prosody, which is killed too, a fifth as
 * often. Prints a table, and ends with 1 when anything was lost, doubled, out of order, or did not end.
 */
import { xmppWorld } from '../test/support/xmpp-world.ts';
import { soakKills } from './support/soak-kills.ts';

await soakKills(xmppWorld, { kills: 50, getChannelKills: (kills) => Math.ceil(kills / 5) });
