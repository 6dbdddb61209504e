import { expect, test } from 'vitest';
import { emailDriver } from '../../../src/channels/email/email.driver.ts';
import { httpDriver } from '../../../src/channels/http/http.driver.ts';
import { smsGatewayDriver } from '../../../src/channels/sms-gateway/sms-gateway.driver.ts';
import { telegramDriver } from '../../../src/channels/telegram/telegram.driver.ts';
import { twilioDriver } from '../../../src/channels/twilio/twilio.driver.ts';
import { whatsappDriver } from '../../../src/channels/whatsapp/whatsapp.driver.ts';
import { xmppDriver } from '../../../src/channels/xmpp/xmpp.driver.ts';
import { getExampleAddress } from './example-address.ts';

const DRIVERS = [
  emailDriver,
  httpDriver,
  smsGatewayDriver,
  telegramDriver,
  twilioDriver,
  whatsappDriver,
  xmppDriver,
];

test.each(DRIVERS)('$channel accepts the example of its addresses', (driver) => {
  const address = getExampleAddress(driver.channel);
  expect(driver.normalizeAddress(address, {})).toBe(address);
});
