/** Steps to connect each channel: what to do outside of the form, and where to find the values. */
import { t } from '../../copy/text.ts';

/** A drawing of a page, with one of its rows marked. */
export interface Sketch {
  page: string;
  rows: string[];
  /** Index of the row. */
  marked: number;
}
export interface ConnectStep {
  text: string;
  sketch?: Sketch;
}

const STEPS: Partial<Record<string, () => ConnectStep[]>> = {
  http: () => [
    { text: t('Start your bridge. The documentation has complete ones in TypeScript and Python.') },
    {
      text: t('Create a secret, and give it to the bridge and to this form.'),
      sketch: {
        page: t('Terminal'),
        rows: [
          'echo whsec_$(openssl rand -base64 32)',
          'whsec_C2FVsBQIhrscChlQ…',
          'BRIDGE_SECRET=whsec_… node bridge.ts',
        ],
        marked: 1,
      },
    },
    { text: t('Enter the URL of the bridge. It learns the callback URL when the instance connects.') },
  ],
  twilio: () => [
    {
      text: t('Open the Twilio Console. The start page shows the Account SID and the Auth Token.'),
      sketch: {
        page: 'console.twilio.com',
        rows: [
          t('Account Info'),
          'Account SID  AC0123…',
          'Auth Token  ••••••••',
          'My Twilio phone number  +1555…',
        ],
        marked: 2,
      },
    },
    { text: t('Enter the number that messages are sent from, or the SID of a Messaging Service.') },
    {
      text: t(
        'Connect. The webhook of the number is set automatically; for a Messaging Service, paste the callback URL of the instance there.',
      ),
    },
  ],
  sms_gateway: () => [
    { text: t("Open your gateway's documentation at the request that sends a message.") },
    {
      text: t('Copy its fields, and replace the values with variables.'),
      sketch: {
        page: t('Fields'),
        rows: ['"to": "{to}"', '"from": "{from}"', '"message": "{text}"', '"callback": "{callback_url}"'],
        marked: 2,
      },
    },
    { text: t('Enter where the ID is in the response, and which fields the callbacks have.') },
    { text: t('Set the callback URL of the instance in the gateway, with the callback secret.') },
  ],
  telegram: () => [
    { text: t('Open a chat with @BotFather in Telegram and send /newbot.') },
    { text: t('Choose a name, then a user name that ends in bot.') },
    {
      text: t('Copy the token from the reply.'),
      sketch: {
        page: '@BotFather',
        rows: [
          t('Done! Congratulations on your new bot.'),
          t('Use this token to access the HTTP API:'),
          '123456789:AAEhBOweik6ad9r_QXMENQ…',
        ],
        marked: 2,
      },
    },
    {
      text: t(
        'For groups, send /setprivacy to @BotFather and choose Disable, so that the bot reads all messages.',
      ),
    },
  ],
  whatsapp: () => [
    {
      text: t('Open your app in Meta for Developers, then WhatsApp > API Setup. Copy both IDs.'),
      sketch: {
        page: 'developers.facebook.com › WhatsApp › API Setup',
        rows: [
          'From  +1 650 555 1234',
          'Phone number ID  106540352242922',
          'WhatsApp Business Account ID  102290129340398',
        ],
        marked: 1,
      },
    },
    {
      text: t('In App settings > Basic, copy the app secret.'),
      sketch: {
        page: 'developers.facebook.com › App settings › Basic',
        rows: ['App ID  1234567890', 'App secret  ••••••••  Show'],
        marked: 1,
      },
    },
    {
      text: t(
        'In Business settings > System users, generate an access token that never expires, with whatsapp_business_messaging and whatsapp_business_management.',
      ),
      sketch: {
        page: 'business.facebook.com › Users › System users',
        rows: ['Token expiration  Never', 'Access token  EAAB••••••••'],
        marked: 1,
      },
    },
    { text: t('Choose any text as the verify token, and keep it for the last step.') },
    {
      text: t(
        'Create the instance. Its page shows the callback URL: paste it with your verify token, and subscribe to messages, message_template_status_update and account_update.',
      ),
      sketch: {
        page: 'developers.facebook.com › WhatsApp › Configuration',
        rows: ['Callback URL  https://…/channels/…', 'Verify token  ••••••••', 'Verify and save'],
        marked: 0,
      },
    },
  ],
};

export const connectSteps = (channel: string): ConnectStep[] => STEPS[channel]?.() ?? [];
