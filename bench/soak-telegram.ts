/**
 * The rounds of kills with Telegram: `node bench/soak-telegram.ts [kills]` (20), against an emulator of the Bot API.
 * Counts duplicates and `delivery_unknown`, because the Bot API can't be asked what was sent.
 */
import { telegramWorld } from '../test/support/channels/telegram/telegram-world.ts';
import { soakKills } from './support/soak-kills.ts';

await soakKills(telegramWorld);
