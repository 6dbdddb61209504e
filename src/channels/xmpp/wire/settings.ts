/** Settings and credentials of an XMPP account, as users enter them and with their defaults. */
import Type, { type Static } from 'typebox';
import { Enum, Nullable, Strict } from '../../../platform/http/schema.ts';
import { InvalidAddressError } from '../../contract/driver-error.ts';
import type { Json } from '../../contract/json.ts';
import { bareJid, parseJid } from './address.ts';

const SECURITY = ['starttls', 'tls', 'none'] as const;

export const CredentialsSchema = Strict({
  password: Type.String({
    minLength: 1,
    maxLength: 1000,
    format: 'password',
    description: "The account's password.",
    examples: ['correct horse'],
  }),
});

export const SettingsSchema = Strict({
  jid: Type.String({
    minLength: 3,
    maxLength: 1023,
    description: 'Address of the account (JID).',
    examples: ['support@example.com'],
  }),
  host: Type.Optional(
    Nullable(
      Type.String({
        minLength: 1,
        maxLength: 253,
        description:
          "Host name or IP address of the server, if the domain's SRV records don't contain it. The certificate must still be valid for the domain.",
        examples: ['xmpp.example.com'],
      }),
    ),
  ),
  port: Type.Optional(
    Nullable(
      Type.Integer({
        minimum: 1,
        maximum: 65_535,
        description: 'Port. Default: 5222, or 5223 with `tls`.',
        examples: [5222],
      }),
    ),
  ),
  security: Type.Optional(
    Enum(SECURITY, {
      default: 'starttls',
      description:
        '`tls` encrypts the connection from the start, `starttls` after the greeting. With `none`, anyone on the network path can read everything. Certificates are always verified.',
      examples: ['starttls'],
    }),
  ),
  plain_password: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'With `none`, allow sending the password as plain text if the server supports no other method. Over TLS, this is always allowed.',
      examples: [false],
    }),
  ),
  nick: Type.Optional(
    Nullable(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'Nickname of the account in groups. Default: the part of the address before the @.',
        examples: ['Example Support'],
      }),
    ),
  ),
  accept_invites: Type.Optional(
    Type.Boolean({
      default: true,
      description: 'Join groups automatically when the account is invited.',
      examples: [true],
    }),
  ),
  group_service: Type.Optional(
    Nullable(
      Type.String({
        minLength: 1,
        maxLength: 253,
        description:
          'The service that hosts new groups. By default, the one that the server of the account announces.',
        examples: ['rooms.example.com'],
      }),
    ),
  ),
  accept_contacts: Type.Optional(
    Type.Boolean({
      default: true,
      description:
        'Accept contact requests, so that contacts see when the account is online, and request the same from them.',
      examples: [true],
    }),
  ),
  take_roster: Type.Optional(
    Type.Boolean({
      default: true,
      description: "Create contacts from the account's contact list (roster).",
      examples: [true],
    }),
  ),
});

/** Settings with their defaults. */
export interface XmppSettings {
  /** Bare, normalized. */
  jid: string;
  local: string;
  domain: string;
  host: string | null;
  port: number | null;
  security: (typeof SECURITY)[number];
  takesPlainPassword: boolean;
  /** The nick in rooms. */
  nick: string;
  /** The nick that the user entered. */
  givenNick: string | null;
  acceptsInvites: boolean;
  /** The service for new rooms; null for the one that the server announces. */
  groupService: string | null;
  acceptsContacts: boolean;
  takesRoster: boolean;
}

/** Removes line breaks and controls, because the nick becomes a resource. */
const asNick = (text: string): string =>
  text
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Cs}\p{Cn}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();

/**
 * @param given a value that matches SettingsSchema
 * @throws InvalidAddressError if an address is invalid
 */
export function readSettings(given: Json): XmppSettings {
  const settings = given as Static<typeof SettingsSchema>;
  const jid = parseJid(settings.jid.trim().replace(/^xmpp:/i, ''));
  if (!jid || jid.local === null || jid.resource !== null)
    throw new InvalidAddressError(
      'must be the address of an account, such as support@example.com',
      '/settings/jid',
    );
  const groupService = settings.group_service ? parseJid(settings.group_service.trim()) : null;
  if (
    settings.group_service &&
    (!groupService || groupService.local !== null || groupService.resource !== null)
  )
    throw new InvalidAddressError(
      'must be the address of a service, such as rooms.example.com',
      '/settings/group_service',
    );
  const givenNick = asNick(settings.nick ?? '') || null;
  return {
    jid: bareJid(jid),
    local: jid.local,
    domain: jid.domain,
    host: settings.host ?? null,
    port: settings.port ?? null,
    security: settings.security ?? 'starttls',
    takesPlainPassword: settings.plain_password ?? false,
    nick: givenNick ?? jid.local,
    givenNick,
    groupService: groupService?.domain ?? null,
    acceptsInvites: settings.accept_invites ?? true,
    acceptsContacts: settings.accept_contacts ?? true,
    takesRoster: settings.take_roster ?? true,
  };
}

/** @param given a value that matches CredentialsSchema */
export const readPassword = (given: Json): string => (given as Static<typeof CredentialsSchema>).password;
