/** Telegram: a bot, by the Bot API. See docs/telegram.md for its behavior. */
import type { Driver } from '../contract/driver.ts';
import { toEndpoint } from '../http-api/endpoint.ts';
import { isThreadId, readAddress, toAddress } from './address.ts';
import { CAPABILITIES } from './capabilities.ts';
import { telegramIngress } from './ingress.ts';
import { CredentialsSchema, getBotId, readSettings, readToken, SettingsSchema } from './settings.ts';

/** A file is uploaded with its message. */
const ACK_TIMEOUT_MS = 300_000;

export const telegramDriver: Driver = {
  channel: 'telegram',
  title: 'Telegram',
  description: 'A Telegram bot, including its groups.',
  credentials: CredentialsSchema,
  settings: SettingsSchema,
  hostSettings: ['/api_root'],
  // The Bot API has no client-assigned ID, and no lookup of sent messages.
  resend: 'never',
  ackTimeoutMs: ACK_TIMEOUT_MS,
  pairs: false,
  capabilities: () => CAPABILITIES,
  ownAddress: ({ credentials }) => getBotId(readToken(credentials)),
  normalizeAddress: (address) => toAddress(readAddress(address)),
  isThreadId,
  endpoints(settings) {
    const { apiRoot, isSelfHosted } = readSettings(settings);
    return isSelfHosted ? [toEndpoint(apiRoot, '/api_root')] : [];
  },
  accounts(settings, credentials) {
    const { hostname: host } = new URL(readSettings(settings).apiRoot);
    return [{ host, user: getBotId(readToken(credentials)) }];
  },
  ingress: telegramIngress,
  // Loaded with the first account.
  open: async (context) => (await import('./connection.ts')).openConnection(context),
};
