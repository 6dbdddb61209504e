/** Settings and credentials of a Telegram bot. */
import { createHmac } from 'node:crypto';
import Type, { type Static } from 'typebox';
import { Enum, Nullable, Strict } from '../../platform/http/schema.ts';
import type { Json } from '../contract/json.ts';

export const CredentialsSchema = Strict({
  token: Type.String({
    pattern: '^[1-9]\\d{0,19}:[A-Za-z0-9_-]{20,100}$',
    format: 'password',
    description: 'The token of the bot, from @BotFather.',
    examples: ['123456789:AAEhBOweik6ad9r_QXMENQjcrGbqCr4K-bc'],
  }),
});

const RECEIVE = ['automatic', 'polling', 'webhook'] as const;

export const SettingsSchema = Strict({
  receive: Type.Optional(
    Enum(RECEIVE, {
      default: 'automatic',
      description:
        'How updates are received. With `polling`, Fairlead requests them, which works behind a router. With `webhook`, Telegram sends them, which needs a public HTTPS address. `automatic` uses a webhook if `BASE_URL` is HTTPS and Telegram can reach it.',
      examples: ['automatic'],
    }),
  ),
  api_root: Type.Optional(
    Nullable(
      Type.String({
        format: 'http-url',
        maxLength: 500,
        description: 'URL of your own Bot API server. Default: `https://api.telegram.org`.',
        examples: ['https://bot-api.example.com'],
      }),
    ),
  ),
});

export interface TelegramSettings {
  receive: (typeof RECEIVE)[number];
  /** Without a trailing slash. */
  apiRoot: string;
  /** The Bot API server is not Telegram's. */
  isSelfHosted: boolean;
}

const TELEGRAM = 'https://api.telegram.org';

/** @param given a value that matches SettingsSchema */
export function readSettings(given: Json): TelegramSettings {
  const { receive = 'automatic', api_root: apiRoot } = given as Static<typeof SettingsSchema>;
  const isSelfHosted = apiRoot !== undefined && apiRoot !== null;
  return { receive, apiRoot: (isSelfHosted ? apiRoot : TELEGRAM).replace(/\/+$/, ''), isSelfHosted };
}

/** @param given a value that matches CredentialsSchema */
export const readToken = (given: Json): string => (given as Static<typeof CredentialsSchema>).token;

/** Returns the ID of the bot, which is also its address. */
export const getBotId = (token: string): string => token.slice(0, token.indexOf(':'));

/** Returns the secret that Telegram sends with each webhook request; derived, so that nothing needs to be stored. */
export const getWebhookSecret = (token: string): string =>
  createHmac('sha256', token).update('fairlead telegram webhook').digest('hex');
