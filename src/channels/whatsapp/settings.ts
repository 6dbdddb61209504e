/** Settings and credentials of WhatsApp instances, as users give them and as the driver uses them. */
import Type, { type Static } from 'typebox';
import { Strict } from '../../platform/http/schema.ts';
import type { Json } from '../contract/json.ts';

const DEFAULT_API_ROOT = 'https://graph.facebook.com/v23.0';
const DEFAULT_LIST_BUTTON = 'Options';

const MetaId = (description: string, example: string) =>
  Type.String({ pattern: '^[0-9]{1,32}$', description, examples: [example] });

const Secret = (description: string, minLength: number, maxLength: number, example: string) =>
  Type.String({
    minLength,
    maxLength,
    // Values for a header or a query contain no spaces and no control characters.
    pattern: '^[!-~]+$',
    format: 'password',
    description,
    examples: [example],
  });

export const CredentialsSchema = Strict({
  access_token: Secret(
    'Access token of a system user with the permissions `whatsapp_business_messaging` and `whatsapp_business_management`.',
    10,
    2000,
    'EAABwzLixnjYBOzYmNMJJGfHq9DgNh',
  ),
  app_secret: Secret(
    'App secret of the Meta app. It verifies the signatures of webhooks.',
    16,
    128,
    '0123456789abcdef0123456789abcdef',
  ),
  verify_token: Secret(
    'Any text that you choose. Enter the same text as verify token in the webhook settings of the Meta app.',
    8,
    200,
    'fairlead-7Yd3kq',
  ),
});

export const SettingsSchema = Strict({
  phone_number_id: MetaId('ID of the phone number, not the number itself.', '106540352242922'),
  business_account_id: MetaId(
    'ID of the WhatsApp Business account that the phone number belongs to.',
    '102290129340398',
  ),
  list_button: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 20,
      pattern: '\\S',
      default: DEFAULT_LIST_BUTTON,
      description: 'Label of the button that opens the choices of an interactive message with a list.',
      examples: [DEFAULT_LIST_BUTTON],
    }),
  ),
  api_root: Type.Optional(
    Type.String({
      format: 'http-url',
      maxLength: 500,
      default: DEFAULT_API_ROOT,
      description: 'URL of the Graph API with its version.',
      examples: [DEFAULT_API_ROOT],
    }),
  ),
});

/** Settings with their defaults. */
export interface WhatsappSettings {
  phoneNumberId: string;
  businessAccountId: string;
  listButton: string;
  /** Without trailing slash. */
  apiRoot: string;
}

/** @param given a value that matches SettingsSchema, or nothing */
export function readSettings(given: Json): WhatsappSettings {
  const settings = (given ?? {}) as Partial<Static<typeof SettingsSchema>>;
  return {
    phoneNumberId: settings.phone_number_id ?? '',
    businessAccountId: settings.business_account_id ?? '',
    listButton: settings.list_button ?? DEFAULT_LIST_BUTTON,
    apiRoot: (settings.api_root ?? DEFAULT_API_ROOT).replace(/\/+$/, ''),
  };
}

export interface WhatsappCredentials {
  accessToken: string;
  appSecret: string;
  verifyToken: string;
}

/** @param given a value that matches CredentialsSchema */
export function readCredentials(given: Json): WhatsappCredentials {
  const credentials = given as Static<typeof CredentialsSchema>;
  return {
    accessToken: credentials.access_token,
    appSecret: credentials.app_secret,
    verifyToken: credentials.verify_token,
  };
}
