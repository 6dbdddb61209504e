/** What an email account is connected with, as users give it, and the same with its defaults. */
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
        description: `Name or address of the ${what} server.`,
        examples: [`${what.toLowerCase()}.example.com`],
      }),
      port: Type.Integer({
        minimum: 1,
        maximum: 65_535,
        default: port,
        description: `Its port: mostly ${port} with \`tls\`, ${plainPort} with \`starttls\`.`,
        examples: [port],
      }),
      security: Enum(SECURITY, {
        default: 'tls',
        description:
          '`tls` from the start, `starttls` after the greeting, or `none`, which sends the password in the clear. Certificates are always verified.',
        examples: ['tls'],
      }),
    },
    { description: `Where mail is ${what === 'IMAP' ? 'read' : 'handed over'} (${what}).` },
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
  user: User('Whom to sign in as; mostly the address.'),
  password: Secret('Its password; with Gmail, Fastmail and others an app password.'),
  smtp_user: Type.Optional(Nullable(User('Where SMTP has another user.'))),
  smtp_password: Type.Optional(Nullable(Secret('Where SMTP has another password.'))),
});

export const SettingsSchema = Strict({
  address: Type.String({
    minLength: 3,
    maxLength: 254,
    description: 'The address of the account: mail is sent from it.',
    examples: ['support@example.com'],
  }),
  display_name: Type.Optional(
    Nullable(Type.String({ maxLength: 100 }), {
      description: 'The name that mail is sent under.',
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
      description: 'The folder that is read.',
      examples: ['INBOX'],
    }),
  ),
  sent_folder: Type.Optional(
    Nullable(Type.String({ minLength: 1, maxLength: 255 }), {
      description: 'The folder of sent mail; null: the one that the server marks as such.',
      examples: [null],
    }),
  ),
  save_sent: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Put a copy of what is sent (up to 10 MB) into the folder of sent mail. Leave it off where the provider does so itself, as Gmail and Outlook do.',
      examples: [false],
    }),
  ),
  history_days: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 365,
      default: 0,
      description: 'At the first connection: read mail of as many days back.',
      examples: [0],
    }),
  ),
  poll_seconds: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 3600,
      default: 60,
      description:
        'How often is looked for mail where the server does not tell of it, and for what other devices have sent.',
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

/** @param given what matches SettingsSchema */
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

/** @param given what matches CredentialsSchema */
export function readLogins(given: Json): { imap: Login; smtp: Login } {
  const { user, password, smtp_user, smtp_password } = given as Static<typeof CredentialsSchema>;
  return {
    imap: { user, password },
    smtp: { user: smtp_user ?? user, password: smtp_password ?? password },
  };
}

/** The part after the last @, as DNS has it. */
export const getDomain = (address: string): string =>
  domainToASCII(address.slice(address.lastIndexOf('@') + 1)) || 'invalid';
