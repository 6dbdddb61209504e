/** The XMPP driver, for an account on any server. docs/xmpp.md describes it for users. */
import type { Driver } from '../contract/driver.ts';
import { InvalidAddressError } from '../contract/driver-error.ts';
import type { Json } from '../contract/json.ts';
import { normalizeJid } from './wire/address.ts';
import { CAPABILITIES } from './capabilities.ts';
import { CredentialsSchema, readSettings, SettingsSchema, type XmppSettings } from './wire/settings.ts';

/** Long, because a file is uploaded before the message is sent. */
const ACK_TIMEOUT_MS = 300_000;

/** Returns null if the address is invalid, which `ownAddress` reports. */
function settingsOrNull(given: Json): XmppSettings | null {
  try {
    return readSettings(given);
  } catch (error) {
    if (error instanceof InvalidAddressError) return null;
    throw error;
  }
}

export const xmppDriver: Driver = {
  channel: 'xmpp',
  title: 'XMPP',
  description: 'Any XMPP (Jabber) account, including its group chats.',
  credentials: CredentialsSchema,
  settings: SettingsSchema,
  // The address also determines the server.
  hostSettings: ['/jid', '/host', '/port', '/security', '/plain_password'],
  resend: 'lookup',
  ackTimeoutMs: ACK_TIMEOUT_MS,
  pairs: false,
  capabilities: () => CAPABILITIES,
  ownAddress: ({ settings }) => readSettings(settings).jid,
  normalizeAddress: (address) => normalizeJid(address),
  endpoints(given) {
    const settings = settingsOrNull(given);
    if (!settings) return [];
    const { host, port, domain, security } = settings;
    const pointer = host === null ? '/jid' : '/host';
    return [{ host: host ?? domain, port: port ?? (security === 'tls' ? 5223 : 5222), pointer }];
  },
  accounts(given) {
    const settings = settingsOrNull(given);
    return settings ? [{ host: settings.domain, user: settings.jid }] : [];
  },
  // Loaded with the first account, because the XMPP code takes much of the time and memory of a start.
  open: async (context) => (await import('./connection.ts')).openConnection(context),
};
