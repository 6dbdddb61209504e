/**
 * A channel of one's own: a bridge behind one URL executes actions and posts signals, both signed as Standard Webhooks.
 * docs/http-channel.md describes the protocol.
 */
import type { Driver } from '../contract/driver.ts';
import { InvalidAddressError } from '../contract/driver-error.ts';
import { toEndpoint } from '../http-api/endpoint.ts';
import { normalizeAddress } from './address.ts';
import { ingress } from './ingress.ts';
import { CredentialsSchema, readCapabilities, readOwnAddress, readUrl, SettingsSchema } from './settings.ts';

export const httpDriver: Driver = {
  channel: 'http',
  title: 'HTTP (your own channel)',
  description: 'Any other channel, through a bridge that you write. Both sides send signed HTTP requests.',
  credentials: CredentialsSchema,
  settings: SettingsSchema,
  hostSettings: ['/url'],
  resend: 'never',
  ackTimeoutMs: 60_000,
  pairs: false,
  capabilities: readCapabilities,
  ownAddress({ settings }) {
    if (new URL(readUrl(settings)).username !== '')
      throw new InvalidAddressError('must not contain a user name', '/settings/url');
    const address = readOwnAddress(settings);
    return address === null ? null : normalizeAddress(address);
  },
  normalizeAddress: (address) => normalizeAddress(address),
  endpoints: (settings) => [toEndpoint(readUrl(settings), '/url')],
  ingress,
  open: async (context) => (await import('./connection.ts')).openConnection(context),
};
