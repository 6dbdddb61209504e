/** Settings and credentials of a Twilio account. */
import Type, { type Static } from 'typebox';
import { Nullable, Strict } from '../../platform/http/schema.ts';
import type { Capabilities } from '../contract/capabilities.ts';
import type { Json } from '../contract/json.ts';

const API_URL = 'https://api.twilio.com';
const DEFAULT_PER_SECOND = 10;
/** Of an MMS, all files together: https://www.twilio.com/docs/messaging/guides/accepted-mime-types */
const MAX_BYTES = 5_000_000;
const MAX_TEXT = 1600;

export const SettingsSchema = Strict({
  account_sid: Type.String({
    pattern: '^AC[0-9a-fA-F]{32}$',
    title: 'Account SID',
    description: 'The Account SID, on the start page of the Twilio Console.',
    examples: ['AC00000000000000000000000000000000'],
  }),
  from: Type.String({
    pattern: '^(\\+[1-9]\\d{6,14}|\\d{3,8}|MG[0-9a-fA-F]{32})$',
    description:
      'The number or short code that messages are sent from, as `+15551234567`, or the SID of a Messaging Service (`MG…`).',
    examples: ['+15551234567'],
  }),
  set_webhook: Type.Optional(
    Type.Boolean({
      default: true,
      description:
        'Set the webhook of the number to this instance when it connects. Turn this off to keep the webhook that is set at Twilio. For a Messaging Service, set it at Twilio.',
      examples: [true],
    }),
  ),
  per_second: Type.Optional(
    Type.Number({
      minimum: 0.1,
      maximum: 100,
      default: DEFAULT_PER_SECOND,
      description: 'Messages per second to send to Twilio, which queues them for the number.',
      examples: [DEFAULT_PER_SECOND],
    }),
  ),
  api_url: Type.Optional(
    Nullable(Type.String({ format: 'http-url', maxLength: 200 }), {
      title: 'API URL',
      description: `Twilio's API, if the account is in another region. Default: \`${API_URL}\`.`,
      examples: ['https://api.dublin.ie1.twilio.com'],
    }),
  ),
});

export const CredentialsSchema = Strict({
  auth_token: Type.String({
    minLength: 1,
    maxLength: 200,
    format: 'password',
    description:
      'The Auth Token, below the Account SID. Twilio signs its requests with it, so an API key is not enough.',
    examples: ['12345678901234567890123456789012'],
  }),
});

export interface TwilioSettings {
  accountSid: string;
  from: string;
  setsWebhook: boolean;
  /** Without a slash at its end. */
  apiUrl: string;
}

/** @param given matches SettingsSchema */
export function readSettings(given: Json): TwilioSettings {
  const { account_sid, from, set_webhook, api_url } = given as Static<typeof SettingsSchema>;
  return {
    accountSid: account_sid,
    from,
    setsWebhook: set_webhook ?? true,
    apiUrl: (api_url ?? API_URL).replace(/\/+$/, ''),
  };
}
export const readToken = (credentials: Json): string =>
  (credentials as Static<typeof CredentialsSchema>).auth_token;

const media = (mimeTypes: string[]) => ({ text: MAX_TEXT, bytes: MAX_BYTES, mimeTypes });

export const readCapabilities = (settings: Json): Capabilities => ({
  types: {
    text: { text: MAX_TEXT },
    image: media(['image/jpeg', 'image/png', 'image/gif']),
    video: media(['video/mp4', 'video/mpeg', 'video/quicktime', 'video/3gpp', 'video/webm']),
    audio: media(['audio/mpeg', 'audio/mp4', 'audio/ogg', 'audio/amr', 'audio/3gpp', 'audio/basic']),
    document: media(['application/pdf', 'text/vcard', 'text/x-vcard', 'text/calendar']),
  },
  operations: ['delivery_receipts'],
  pacing: {
    perSecond: (settings as Partial<Static<typeof SettingsSchema>>).per_second ?? DEFAULT_PER_SECOND,
    perChat: null,
    concurrency: 4,
  },
  limits: { editWithin: null, revokeWithin: null, groupMembers: null },
});
