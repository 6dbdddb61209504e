/** SMS and MMS by Twilio. See docs/sms.md for its behavior. */
import type { Driver } from '../contract/driver.ts';
import { toEndpoint } from '../http-api/endpoint.ts';
import { normalizePhoneNumber } from '../http-api/phone-number.ts';
import { ingress } from './ingress.ts';
import { CredentialsSchema, readCapabilities, readSettings, SettingsSchema } from './settings.ts';

export const twilioDriver: Driver = {
  channel: 'twilio',
  title: 'Twilio SMS',
  description: 'SMS and MMS from a Twilio number or Messaging Service.',
  credentials: CredentialsSchema,
  settings: SettingsSchema,
  hostSettings: ['/api_url', '/account_sid'],
  // Twilio has no IDs that we choose.
  resend: 'never',
  ackTimeoutMs: 60_000,
  pairs: false,
  capabilities: readCapabilities,
  ownAddress({ settings }) {
    const { from } = readSettings(settings);
    return from.startsWith('MG') ? null : from;
  },
  normalizeAddress: (address) => normalizePhoneNumber(address),
  endpoints: (settings) => [toEndpoint(readSettings(settings).apiUrl, '/api_url')],
  accounts(settings) {
    const { apiUrl, accountSid } = readSettings(settings);
    return [{ host: new URL(apiUrl).hostname, user: accountSid }];
  },
  ingress,
  open: async (context) => (await import('./connection.ts')).openConnection(context),
};
