/** Settings and credentials of an email account, as users enter them and with their defaults. */
import { domainToASCII } from 'node:url';
import Type, { type Static } from 'typebox';
import { Enum, Nullable, Strict } from '../../platform/http/schema.ts';
import type { Json } from '../contract/json.ts';

const SECURITY = ['tls', 'starttls', 'none'] as const;

const MailServer = (what: string, port: number, plainPort: number) =>
  Strict(
    {
      host: Type.String({
        minLength: 1,
        maxLength: 253,
        description: `Host name or IP address of the ${what} server.`,
        examples: [`${what.toLowerCase()}.example.com`],
      }),
      port: Type.Integer({
        minimum: 1,
        maximum: 65_535,
        default: port,
        description: `Port, usually ${port} with \`tls\` and ${plainPort} with \`starttls\`.`,
        examples: [port],
      }),
      security: Enum(SECURITY, {
        default: 'tls',
        description:
          '`tls` encrypts the connection from the start, `starttls` after the greeting. `none` sends the password unencrypted. Certificates are always verified.',
        examples: ['tls'],
      }),
    },
    { description: `The server that mail is ${what === 'IMAP' ? 'read from' : 'sent through'} (${what}).` },
  );

const Secret = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: 1000,
    format: 'password',
    description,
    examples: ['correct horse'],
  });
const User = (description: string) =>
  Type.String({ minLength: 1, maxLength: 320, description, examples: ['support@example.com'] });

export const CredentialsSchema = Strict({
  user: User('User name, usually the email address.'),
  password: Secret('Password. Gmail, Fastmail and others require an app password.'),
  smtp_user: Type.Optional(Nullable(User('User name for SMTP, if it differs.'))),
  smtp_password: Type.Optional(Nullable(Secret('Password for SMTP, if it differs.'))),
});

export const SettingsSchema = Strict({
  address: Type.String({
    minLength: 3,
    maxLength: 254,
    description: 'Email address of the account. Mail is sent from it.',
    examples: ['support@example.com'],
  }),
  display_name: Type.Optional(
    Nullable(Type.String({ maxLength: 100 }), {
      description: 'Sender name shown to recipients.',
      examples: ['Example Support'],
    }),
  ),
  imap: MailServer('IMAP', 993, 143),
  smtp: MailServer('SMTP', 465, 587),
  folder: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      default: 'INBOX',
      description: 'Folder to read.',
      examples: ['INBOX'],
    }),
  ),
  sent_folder: Type.Optional(
    Nullable(Type.String({ minLength: 1, maxLength: 255 }), {
      description: 'Folder for sent mail. If null, the folder that the server marks as sent mail.',
      examples: [null],
    }),
  ),
  save_sent: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Save a copy of each sent mail (up to 10 MB) in the folder for sent mail. Leave this off if the provider saves copies itself, as Gmail and Outlook do.',
      examples: [false],
    }),
  ),
  history_days: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 365,
      default: 0,
      description: 'Number of days of earlier mail to read at the first connection.',
      examples: [0],
    }),
  ),
  poll_seconds: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 3600,
      default: 60,
      description:
        'Seconds between checks for new mail if the server does not announce it, and for mail sent from other devices.',
      examples: [60],
    }),
  ),
});

export type MailServerSettings = Static<typeof SettingsSchema>['imap'];

/** Settings with their defaults. */
export interface EmailSettings {
  address: string;
  displayName: string | null;
  imap: MailServerSettings;
  smtp: MailServerSettings;
  folder: string;
  sentFolder: string | null;
  savesSent: boolean;
  historyDays: number;
  pollMs: number;
}

/** @param given a value that matches SettingsSchema */
export function readSettings(given: Json): EmailSettings {
  const settings = given as Static<typeof SettingsSchema>;
  return {
    address: settings.address.trim(),
    displayName: settings.display_name?.trim() || null,
    imap: settings.imap,
    smtp: settings.smtp,
    folder: settings.folder ?? 'INBOX',
    sentFolder: settings.sent_folder ?? null,
    savesSent: settings.save_sent ?? false,
    historyDays: settings.history_days ?? 0,
    pollMs: (settings.poll_seconds ?? 60) * 1000,
  };
}

export interface Login {
  user: string;
  password: string;
}

/** @param given a value that matches CredentialsSchema */
export function readLogins(given: Json): { imap: Login; smtp: Login } {
  const { user, password, smtp_user, smtp_password } = given as Static<typeof CredentialsSchema>;
  return {
    imap: { user, password },
    smtp: { user: smtp_user ?? user, password: smtp_password ?? password },
  };
}

/** Returns the part after the last @ in ASCII. */
export const getDomain = (address: string): string =>
  domainToASCII(address.slice(address.lastIndexOf('@') + 1)) || 'invalid';
