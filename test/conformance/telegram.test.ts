/** The driver against an emulator of the Bot API; telegram-crabline.test.ts has one by others. */
import { startTelegramHarness } from '../support/channels/telegram/telegram-harness.ts';
import { describeDriver } from './suite/suite.ts';

describeDriver('telegram', startTelegramHarness, process.env['CONFORMANCE'] === 'write');
