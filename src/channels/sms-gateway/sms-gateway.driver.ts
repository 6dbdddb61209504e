/** SMS by any gateway with an HTTP API. See docs/sms.md for its behavior. */
import type { Driver } from '../contract/driver.ts';
import { InvalidAddressError } from '../contract/driver-error.ts';
import { toEndpoint } from '../http-api/endpoint.ts';
import { normalizePhoneNumber } from '../http-api/phone-number.ts';
import { ingress } from './ingress.ts';
import { CredentialsSchema, readCapabilities, readSettings, SettingsSchema } from './settings.ts';

export const smsGatewayDriver: Driver = {
  channel: 'sms_gateway',
  title: 'SMS gateway',
  description: 'SMS through any gateway with an HTTP API. You describe its requests.',
  credentials: CredentialsSchema,
  settings: SettingsSchema,
  hostSettings: ['/url', '/check_url'],
  resend: 'never',
  ackTimeoutMs: 60_000,
  pairs: false,
  capabilities: readCapabilities,
  ownAddress({ settings }) {
    try {
      return normalizePhoneNumber(readSettings(settings).from);
    } catch (error) {
      if (!(error instanceof InvalidAddressError)) throw error;
      throw new InvalidAddressError(error.message, '/settings/from');
    }
  },
  normalizeAddress: (address) => normalizePhoneNumber(address),
  endpoints(settings) {
    const { url, check_url: checkUrl } = readSettings(settings);
    return [toEndpoint(url, '/url'), ...(checkUrl ? [toEndpoint(checkUrl, '/check_url')] : [])];
  },
  ingress,
  open: async (context) => (await import('./connection.ts')).openConnection(context),
};
