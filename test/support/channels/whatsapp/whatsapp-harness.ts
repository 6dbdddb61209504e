/** WhatsApp for the conformance suite: Prism with Meta's description, and people who send signed webhooks. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Driver } from '../../../../src/channels/contract/driver.ts';
import { createEgress } from '../../../../src/platform/egress/egress.ts';
import { createWhatsappDriver } from '../../../../src/channels/whatsapp/whatsapp.driver.ts';
import type { Harness, Peer, PeerMessage, Sight, TestAccount } from '../../../conformance/suite/harness.ts';
import { allowing } from '../../egress.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { startPrism, toolVersion } from '../channel-tools.ts';
import { startStoredIngress, type StoredIngress } from '../stored-ingress.ts';
import { writeDescription } from './description.ts';
import { type Account, type Body, type GraphApi, startGraphApi } from './graph-api.ts';
import { postWebhook, toChange, toWebhook } from './webhooks.ts';

export const APP_SECRET = '0123456789abcdef0123456789abcdef';
const VERIFY_TOKEN = 'fairlead-test';
const UNKNOWN = '+19995550000';
const PATIENCE_MS = 20_000;

const newId = (): string => `wamid.${randomBytes(12).toString('hex')}`;
const seconds = (): string => String(Math.floor(Date.now() / 1000));
let numbers = 0;
const newNumber = (): string => `1650${String(5_550_000 + numbers++)}`;

/** Content of a message as its recipient's app shows it, in the form of the product's API. */
function shown(
  body: Body,
  api: GraphApi,
): Pick<Sight & { kind: 'message' }, 'type' | 'text' | 'file' | 'data'> {
  const content = body[body.type];
  const base = { text: null, file: null, data: null };
  switch (body.type) {
    case 'text':
      return { ...base, type: 'text', text: content.body };
    case 'location': {
      const { latitude, longitude, name = null, address = null } = content;
      const data = { latitude: Number(latitude), longitude: Number(longitude), name, address };
      return { ...base, type: 'location', data };
    }
    case 'contacts':
      return {
        ...base,
        type: 'contacts',
        data: content.map(({ name, phones, emails, org }: Body) => ({
          name: name.formatted_name,
          phones: phones?.map(({ phone }: Body) => phone) ?? null,
          emails: emails?.map(({ email }: Body) => email) ?? null,
          organization: org?.company ?? null,
        })),
      };
    case 'interactive': {
      const { action, header, footer, body: text } = content;
      const { flow_token: id, flow_cta: title, flow_id: form_id } = action.parameters ?? {};
      const choices = action.parameters
        ? [{ id, title, form_id }]
        : (action.buttons?.map(({ reply }: Body) => reply) ?? action.sections[0].rows);
      const data = { body: text.text, choices, header: header?.text ?? null, footer: footer?.text ?? null };
      return { ...base, type: 'interactive', text: text.text, data };
    }
    case 'template': {
      const { name, language, components = [] } = content;
      const parameters = components.flatMap((one: Body) => one.parameters.map(({ text }: Body) => text));
      return { ...base, type: 'template', data: { name, language: language.code, parameters } };
    }
    default: {
      const type = body.type === 'audio' && content.voice ? 'voice' : body.type;
      return { ...base, type, text: content.caption ?? null, file: api.uploaded(content.id) ?? null };
    }
  }
}

/** Content of a message as WhatsApp sends it in a webhook. */
function toWebhookContent({ type, text, file, data }: PeerMessage, api: GraphApi): Body {
  if (type === 'text') return { type, text: { body: text } };
  if (file) {
    const mediaType = type === 'voice' ? 'audio' : type;
    const sha256 = createHash('sha256').update(file.bytes).digest('base64');
    const media = { id: api.addFile(file.bytes, file.mimeType), mime_type: file.mimeType, sha256 };
    const more = {
      ...(text === null ? {} : { caption: text }),
      ...(type === 'document' ? { filename: file.fileName } : {}),
      ...(mediaType === 'audio' ? { voice: type === 'voice' } : {}),
    };
    return { type: mediaType, [mediaType]: { ...media, ...more } };
  }
  if (type === 'location') {
    const { latitude, longitude, name, address } = data as Body;
    return {
      type,
      location: { latitude, longitude, ...(name ? { name } : {}), ...(address ? { address } : {}) },
    };
  }
  const contacts = (data as Body[]).map(({ name, phones }) => ({
    name: { formatted_name: name, first_name: name },
    phones: phones?.map((phone: string) => ({ phone, type: 'CELL' })),
  }));
  return { type, contacts };
}

export interface WhatsappWorld {
  api: GraphApi;
  ingress: StoredIngress;
  /** Opens connections without an ingress, as while an account is only checked. */
  bareDriver: Driver;
  harness: Harness & { stop(): Promise<void> };
  /** Posts changes of an account's number. @returns the status of the answer */
  post(account: TestAccount, value: Body, field?: string): Promise<number>;
}

const toAccount = ({ settings, credentials, address }: TestAccount): Account => ({
  phoneNumberId: (settings as Body).phone_number_id,
  businessAccountId: (settings as Body).business_account_id,
  number: address.slice(1),
  token: (credentials as Body).access_token,
});

const getDigits = (): string => String(BigInt(`0x${randomBytes(6).toString('hex')}`));

export async function startWhatsappWorld(): Promise<WhatsappWorld> {
  const folder = await temporaryFolder('whatsapp-');
  const prism = await startPrism(await writeDescription(folder.path));
  const api = await startGraphApi(prism.url);
  const driver = createWhatsappDriver({ proveEveryMs: 0 });
  const ingress = await startStoredIngress(driver);
  const egress = createEgress({ allow: allowing('127.0.0.1') });
  const sights = new Map<string, Sight[]>();
  const blocked = (own: string, other: string): boolean => {
    const list = api.requests.filter(({ path, method }) => path.endsWith('/block_users') && method !== 'GET');
    const last = list.findLast(
      ({ path, body }) => path.includes(own) && body.block_users[0].user === other.slice(1),
    );
    return last?.method === 'POST';
  };

  const newAccount = (): TestAccount => ({
    workspaceId: randomUUID(),
    instanceId: randomUUID(),
    name: 'Shop',
    settings: { phone_number_id: getDigits(), business_account_id: getDigits(), api_root: api.apiRoot },
    credentials: {
      access_token: `EAA${randomBytes(12).toString('hex')}`,
      app_secret: APP_SECRET,
      verify_token: VERIFY_TOKEN,
    },
    address: `+${newNumber()}`,
  });
  const post: WhatsappWorld['post'] = (account, value, field = 'messages') => {
    const { number, phoneNumberId } = toAccount(account);
    const metadata = { display_phone_number: number, phone_number_id: phoneNumberId };
    return postWebhook(
      ingress.url(account.instanceId),
      toWebhook([toChange(metadata, value, field)]),
      APP_SECRET,
    );
  };
  const byNumber = new Map<string, TestAccount>();

  /** What happens at WhatsApp with what was accepted. */
  api.onMessage = (body, id, { number }) => {
    if (body.to === UNKNOWN.slice(1)) {
      const errors = [{ code: 131026, title: 'Message undeliverable' }];
      const { biz_opaque_callback_data } = body;
      const status = { id, status: 'failed', timestamp: seconds(), recipient_id: body.to, errors };
      void post(byNumber.get(number)!, { statuses: [{ ...status, biz_opaque_callback_data }] });
      return;
    }
    const seen = (sight: Sight): void => {
      // A read receipt names no recipient.
      for (const [address, list] of sights)
        if (body.to === undefined || address === `+${body.to}`) list.push(sight);
    };
    if (body.status === 'read') {
      seen({ kind: 'receipt', externalId: body.message_id, status: 'read' });
      if (body.typing_indicator) seen({ kind: 'typing', isTyping: true });
    } else if (body.type === 'reaction')
      seen({ kind: 'reacted', externalId: body.reaction.message_id, emoji: body.reaction.emoji || null });
    else {
      const replyTo = body.context?.message_id ?? null;
      seen({ kind: 'message', externalId: id, ...shown(body, api), replyTo, mentions: [] });
    }
  };

  const makePeer = async (): Promise<Peer> => {
    const address = `+${newNumber()}`;
    const from = address.slice(1);
    const own: Sight[] = [];
    sights.set(address, own);
    const write = async (to: TestAccount, message: Body): Promise<string> => {
      const id = newId();
      if (blocked(toAccount(to).phoneNumberId, address)) return id;
      const contacts = [{ profile: { name: 'Ann Example' }, wa_id: from }];
      await post(to, { contacts, messages: [{ from, id, timestamp: seconds(), ...message }] });
      return id;
    };
    const report = async (to: TestAccount, id: string, status: string): Promise<void> =>
      void (await post(to, { statuses: [{ id, status, timestamp: seconds(), recipient_id: from }] }));
    return {
      address,
      chat: { kind: 'direct', key: address, address },
      seen: async () => own,
      sends: ['text', 'image', 'video', 'audio', 'voice', 'document', 'sticker', 'location', 'contacts'],
      send: (to, message) =>
        write(to, {
          ...toWebhookContent(message, api),
          ...(message.replyTo === null
            ? {}
            : { context: { from: to.address.slice(1), id: message.replyTo } }),
        }),
      async react(to, externalId, emoji) {
        await write(to, { type: 'reaction', reaction: { message_id: externalId, emoji } });
      },
      markDelivered: (to, externalId) => report(to, externalId, 'delivered'),
      markRead: (to, externalId) => report(to, externalId, 'read'),
    };
  };

  const add = (account: TestAccount): TestAccount => {
    api.addAccount(toAccount(account));
    byNumber.set(account.address.slice(1), account);
    return account;
  };
  const harness: WhatsappWorld['harness'] = {
    driver: { ...driver, open: ingress.open },
    egress,
    makeAccount: async () => add(newAccount()),
    makePeer,
    refused: (account) => ({
      ...account,
      credentials: { ...(account.credentials as object), access_token: 'EAAwrongwrongwrong' },
    }),
    keptConnection: null,
    async makeSlowAccount() {
      const account = newAccount();
      api.addSlowAccount(toAccount(account));
      return account;
    },
    unknownAddress: UNKNOWN,
    server: { stop: api.pause, start: api.resume },
    versions: async () => ({
      "Prism with Meta's published API description, not WhatsApp itself:":
        await toolVersion('@stoplight/prism-cli'),
    }),
    async writeElsewhere(account, peer, text) {
      const [from, to] = [account.address.slice(1), peer.address.slice(1)];
      const echo = { from, to, id: newId(), timestamp: seconds(), type: 'text', text: { body: text } };
      await post(account, { message_echoes: [echo] }, 'smb_message_echoes');
    },
    stopsTyping: false,
    sameAddresses: [
      ['+1 (650) 555-1234', '16505551234'],
      ['+49 30 1234567', '+49301234567'],
    ],
    badAddresses: ['bob', '+', '12', '+1650555123456789', '1650+5551234', 'ann@example.com'],
    patience: PATIENCE_MS,
    async stop() {
      await ingress[Symbol.asyncDispose]();
      await api.stop();
      await egress.close();
      await prism[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
  return { api, ingress, bareDriver: driver, harness, post };
}

export const startWhatsappHarness = async (): Promise<WhatsappWorld['harness']> =>
  (await startWhatsappWorld()).harness;
