/** WhatsApp through Meta's Cloud API. See docs/whatsapp.md for its behavior. */
import { type Driver } from '../contract/driver.ts';
import { toEndpoint } from '../http-api/endpoint.ts';
import { normalizeAddress } from './address.ts';
import { CAPABILITIES } from './capabilities.ts';
import { checkContent } from './check-content.ts';
import { ingress } from './ingress.ts';
import { CredentialsSchema, readSettings, SettingsSchema } from './settings.ts';

/** The upload of a large file is part of it. */
const ACK_TIMEOUT_MS = 300_000;
/** Meta limits the requests of a business account to 200 an hour while it is new. */
const PROVE_EVERY_MS = 600_000;

/** @param options `proveEveryMs`: how long a valid token counts as valid; for tests */
export const createWhatsappDriver = ({ proveEveryMs = PROVE_EVERY_MS } = {}): Driver => ({
  channel: 'whatsapp',
  title: 'WhatsApp',
  description: "A WhatsApp Business number, through Meta's Cloud API.",
  credentials: CredentialsSchema,
  settings: SettingsSchema,
  hostSettings: ['/api_root'],
  // The API has no client-assigned ID that prevents duplicates. A later status still reports the outcome.
  resend: 'never',
  ackTimeoutMs: ACK_TIMEOUT_MS,
  pairs: false,
  capabilities: () => CAPABILITIES,
  ownAddress: () => null,
  normalizeAddress: (address) => normalizeAddress(address),
  checkContent,
  endpoints: (settings) => [toEndpoint(readSettings(settings).apiRoot, '/api_root')],
  accounts(settings) {
    const { apiRoot, phoneNumberId } = readSettings(settings);
    return [{ host: new URL(apiRoot).hostname, user: phoneNumberId }];
  },
  ingress,
  open: async (context) => (await import('./connection.ts')).openConnection(context, proveEveryMs),
});

export const whatsappDriver = createWhatsappDriver();
