/** The email driver: IMAP to receive, SMTP to send. docs/email.md describes it for users. */
import { type Driver } from '../contract/driver.ts';
import { InvalidAddressError } from '../contract/driver-error.ts';
import { normalizeEmail, readEmail } from './address.ts';
import { CAPABILITIES } from './capabilities.ts';
import { CredentialsSchema, readLogins, readSettings, SettingsSchema } from './settings.ts';

/** Long, because a server may be slow to respond to a large mail. */
const ACK_TIMEOUT_MS = 300_000;

export const emailDriver: Driver = {
  channel: 'email',
  title: 'Email',
  description: 'Any mailbox, over IMAP and SMTP.',
  credentials: CredentialsSchema,
  settings: SettingsSchema,
  hostSettings: ['/imap/host', '/imap/port', '/imap/security', '/smtp/host', '/smtp/port', '/smtp/security'],
  // SMTP has no way to look up a sent mail, and recipients get two mails even if they have the same Message-ID.
  resend: 'never',
  ackTimeoutMs: ACK_TIMEOUT_MS,
  pairs: false,
  capabilities: () => CAPABILITIES,
  ownAddress({ settings }) {
    const address = readEmail(readSettings(settings).address);
    if (address === null)
      throw new InvalidAddressError(
        'must be a single email address, such as support@example.com',
        '/settings/address',
      );
    return address;
  },
  normalizeAddress: (address) => normalizeEmail(address),
  endpoints(settings) {
    const { imap, smtp } = readSettings(settings);
    return [
      { host: imap.host, port: imap.port, pointer: '/imap/host' },
      { host: smtp.host, port: smtp.port, pointer: '/smtp/host' },
    ];
  },
  accounts(settings, credentials) {
    const [servers, logins] = [readSettings(settings), readLogins(credentials)];
    return [
      { host: servers.imap.host, user: logins.imap.user },
      { host: servers.smtp.host, user: logins.smtp.user },
    ];
  },
  // Loaded with the first account, because IMAP and mail parsing take much of the time and memory of a start.
  open: async (context) => (await import('./connection.ts')).openConnection(context),
};
