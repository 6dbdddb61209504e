/**
 * The rounds of kills with email: `node bench/soak-mail.ts [kills]` (50), against Dovecot and Postfix. Doubles and
 * `delivery_unknown` are counted, for a mail server can't be asked what became of a mail. Prints a table, and ends with 1
 * when anything was lost, or did not end.
 */
import { mailWorld } from '../test/support/mail-world.ts';
import { soakKills } from './support/soak-kills.ts';

await soakKills(mailWorld, { kills: 50 });
