/** How channels are connected and what only some have, in a browser: with stand-ins for the APIs of their vendors. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type BotApiServer, startBotApiServer } from '../support/channels/telegram/bot-api-server.ts';
import { type Body, type GraphApi, startGraphApi } from '../support/channels/whatsapp/graph-api.ts';
import { postWebhook, toChange, toWebhook } from '../support/channels/whatsapp/webhooks.ts';
import { startHttp } from '../support/egress.ts';
import { PATIENCE } from '../support/patience.ts';
import { needs } from '../support/needs.ts';
import { CHROMIUM, HAS_CHROMIUM } from '../support/browser.ts';
import {
  asOwner,
  dialog,
  expectClean,
  expectFits,
  type Home,
  HOSTILE,
  startTestConsole,
  type TestConsole,
} from '../support/console.ts';

const APP_SECRET = '0123456789abcdef0123456789abcdef';
const TOKEN = 'EAAtoken-of-the-test';
const BUSINESS = '102290129340398';
const PERSON = '16505551000';

const TWILIO_SID = `AC${'0'.repeat(31)}1`;

/** Names of the drawn pages: what stands on them, with the marked row. */
interface Guide {
  channel: string;
  title: string;
  steps: number;
  sketches: string[];
  /** By label. The last one is the token. */
  fields: [label: string, value: string][];
  /** Of a wrong token. */
  code: string;
}

let numbers = 0;

describe('channels in a browser', needs(`a browser (${CHROMIUM})`, HAS_CHROMIUM), () => {
  let world: TestConsole;
  let graph: GraphApi;
  let bots: BotApiServer;
  beforeAll(async () => {
    world = await startTestConsole({ EGRESS_ALLOW: '127.0.0.1' });
    graph = await startGraphApi(null);
    bots = await startBotApiServer();
  });
  afterEach(() => world.closeAll());
  afterAll(async () => {
    await world?.stop();
    await graph?.stop();
    await bots?.[Symbol.asyncDispose]();
  });

  /** Adds a number to the stand-in. */
  function newNumber() {
    const number = `1650555${2000 + numbers++}`;
    graph.addAccount({ phoneNumberId: `1${number}`, businessAccountId: BUSINESS, number, token: TOKEN });
    return { number, phoneNumberId: `1${number}` };
  }

  /** Connects an instance on WhatsApp. @returns what delivers messages of a person to it */
  async function newWhatsapp(home: Home) {
    const { number, phoneNumberId } = newNumber();
    const settings = {
      phone_number_id: phoneNumberId,
      business_account_id: BUSINESS,
      api_root: graph.apiRoot,
    };
    const credentials = { access_token: TOKEN, app_secret: APP_SECRET, verify_token: 'any-text' };
    const { id } = await asOwner(home, '/instances', {
      name: 'Shop',
      channel: 'whatsapp',
      settings,
      credentials,
    });
    await asOwner(home, `/instances/${id}/connect`, undefined, 'POST');
    const read = () => asOwner(home, `/instances/${id}`);
    await expect.poll(async () => (await read()).state, PATIENCE).toBe('connected');
    // BASE_URL has the port that the server was to choose itself.
    const url = world.app.base + new URL((await read()).ingress_url).pathname;
    return async (id_: string, message: Body): Promise<void> => {
      const timestamp = String(Math.floor(Date.now() / 1000));
      const value = {
        contacts: [{ wa_id: PERSON, profile: { name: 'Ann' } }],
        messages: [{ from: PERSON, id: id_, timestamp, ...message }],
      };
      const metadata = { display_phone_number: number, phone_number_id: phoneNumberId };
      expect(await postWebhook(url, toWebhook([toChange(metadata, value)], BUSINESS), APP_SECRET)).toBe(200);
    };
  }

  const bubble = (page: Page, text: string) =>
    page.getByRole('log', { name: 'Messages' }).getByRole('article', { name: text }).last();
  const openDetails = async (page: Page, text: string) => {
    await bubble(page, text).hover();
    await bubble(page, text).getByRole('button', { name: 'Actions for message' }).click();
    await page.getByRole('menuitem', { name: 'Details' }).click();
  };

  test('WhatsApp: shows the ad and the order of a message, and sends a message that opens a form', async () => {
    const home = await world.newHome();
    const deliver = await newWhatsapp(home);
    const referral = {
      source_type: 'ad',
      source_id: '1202',
      source_url: 'https://evil.example/ad',
      headline: HOSTILE,
      body: 'long '.repeat(200),
    };
    await deliver('wamid.1', { type: 'text', text: { body: 'Is it available?' }, referral });
    const item = { product_retailer_id: 'di9ozbzfi4', quantity: 2, item_price: 30.5, currency: 'USD' };
    const order = { catalog_id: '1949', text: 'Please wrap it.', product_items: [item] };
    await deliver('wamid.2', { type: 'order', order });

    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home, '/chats');
    await page.getByRole('link', { name: 'Ann' }).click();
    await bubble(page, 'Is it available?').getByText(`From an ad: ${HOSTILE}`).waitFor();
    await page.getByText('Order of 1 product').waitFor();
    await expectFits(page, 'a chat with channel data');

    await openDetails(page, 'Is it available?');
    const data = page.getByRole('dialog').getByRole('region', { name: 'Channel data' });
    await data.getByText('https://evil.example/ad').waitFor();
    expect(await data.getByRole('link').count()).toBe(0);
    const shown = await data.innerText();
    expect(shown).toContain(HOSTILE);
    expect(shown).toMatch(/long …/);
    expect(shown.length).toBeLessThan(800);
    await expectFits(page, 'details with channel data');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Send other content' }).click();
    await page.getByRole('menuitem', { name: 'Interactive' }).click();
    await dialog(page).getByLabel('Text', { exact: true }).fill('Book a table');
    await dialog(page).getByLabel('Choices', { exact: true }).fill('Choose a day');
    await dialog(page).getByLabel('Form ID').fill('1034567890123456');
    const sent = new Promise<Body>((resolve) => {
      graph.onMessage = (body) => body.type === 'interactive' && resolve(body);
    });
    await dialog(page).getByRole('button', { name: 'Send' }).click();
    await bubble(page, 'You: Book a table').getByText('Opens form 1034567890123456').waitFor();
    expect((await sent).interactive.action).toMatchObject({
      name: 'flow',
      parameters: { flow_id: '1034567890123456', flow_cta: 'Choose a day' },
    });
    await openDetails(page, 'You: Book a table');
    await page.getByRole('dialog').getByText('Form ID', { exact: true }).waitFor();
    expect(await page.title()).not.toBe('owned');
    expectClean(seen);
  });

  /** Starts an API that knows the token only. @returns its URL */
  async function startTwilio(): Promise<string> {
    const { port } = await startHttp((request, response) => {
      const isKnown = request.headers.authorization === `Basic ${btoa(`${TWILIO_SID}:${TOKEN}`)}`;
      response
        .writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' })
        .end(JSON.stringify(isKnown ? {} : { code: 20003, message: 'Authenticate', status: 401 }));
    });
    return `http://127.0.0.1:${port}`;
  }

  const guides = (twilioUrl: string): Guide[] => [
    {
      channel: 'WhatsApp',
      title: 'Create WhatsApp instance',
      steps: 5,
      sketches: [
        'On developers.facebook.com › WhatsApp › API Setup: Phone number ID 106540352242922',
        'On developers.facebook.com › App settings › Basic: App secret •••••••• Show',
        'On business.facebook.com › Users › System users: Access token EAAB••••••••',
        'On developers.facebook.com › WhatsApp › Configuration: Callback URL https://…/channels/…',
      ],
      fields: [
        ['Phone number ID', newNumber().phoneNumberId],
        ['Business account ID', BUSINESS],
        ['API root', graph.apiRoot],
        ['App secret', APP_SECRET],
        ['Verify token', 'any-text'],
        ['Access token', TOKEN],
      ],
      code: 'token_expired',
    },
    {
      channel: 'Telegram',
      title: 'Create Telegram instance',
      steps: 4,
      sketches: ['On @BotFather: 123456789:AAEhBOweik6ad9r_QXMENQ…'],
      fields: [
        ['API root', bots.url],
        ['Token', bots.addBot().token],
      ],
      code: 'authentication_failed',
    },
    {
      channel: 'Twilio SMS',
      title: 'Create Twilio SMS instance',
      steps: 3,
      sketches: ['On console.twilio.com: Auth Token ••••••••'],
      fields: [
        ['Account SID', TWILIO_SID],
        ['From', '+15551234567'],
        ['API URL', twilioUrl],
        ['Auth token', TOKEN],
      ],
      code: 'authentication_failed',
    },
  ];

  test('explains how to connect, points to the token that is wrong, and shows the callback URL', async () => {
    const home = await world.newHome();
    const { page, seen } = await world.open(home.owner, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    for (const { channel, title, steps, sketches, fields, code } of guides(await startTwilio())) {
      await world.visit(page, home, '/instances?create=true');
      await dialog(page).getByRole('button', { name: channel }).click();
      await page.getByRole('dialog', { name: title }).waitFor();
      const guide = dialog(page).getByRole('list', { name: 'How to connect' });
      expect(await guide.getByRole('listitem').count(), channel).toBe(steps);
      expect(await guide.getByRole('img').count(), channel).toBe(sketches.length);
      for (const name of sketches)
        expect(await guide.getByRole('img', { name, exact: true }).count(), name).toBe(1);
      await expectFits(page, `how to connect ${channel}`);

      const field = (name: string) => dialog(page).getByRole('textbox', { name, exact: true });
      await field('Name').fill(channel);
      for (const [label, value] of fields) await field(label).fill(value);
      const [label, right] = fields.at(-1)!;
      const token = field(label);
      await token.fill(right.replace(/.{4}$/, 'XXXX'));
      await dialog(page).getByRole('button', { name: 'Test connection' }).click();
      await expect.poll(() => token.getAttribute('aria-invalid'), PATIENCE).toBe('true');
      await dialog(page).getByText(code, { exact: true }).waitFor();
      await token.fill(right);
      await dialog(page).getByRole('button', { name: 'Create instance' }).click();

      const health = page.getByRole('status', { name: 'Status' });
      await health.getByText('Connected', { exact: true }).waitFor();
      await page.getByRole('tab', { name: 'Settings' }).click();
      await page.getByText('Desired state').waitFor();
      const copy = page.getByRole('button', { name: 'Copy callback URL' });
      const id = new URL(page.url()).pathname.split('/').at(-1);
      const { ingress_url: url } = await asOwner(home, `/instances/${id}`);
      await page.getByText(url, { exact: true }).waitFor();
      await copy.click();
      // oxlint-disable-next-line typescript/no-explicit-any -- runs in the page
      const copied = () => page.evaluate(() => (globalThis as any).navigator.clipboard.readText());
      await expect.poll(copied, PATIENCE).toBe(url);
    }
    expect(bots.violations).toEqual([]);
    expect(seen.faults.filter((text) => !text.includes('status of 422'))).toEqual([]);
    expect(seen.foreign).toEqual([]);
  });
});
