/** What only some channels have, in a browser: with stand-ins for the APIs of their vendors. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Body, type GraphApi, startGraphApi } from '../support/channels/whatsapp/graph-api.ts';
import { postWebhook, toChange, toWebhook } from '../support/channels/whatsapp/webhooks.ts';
import { PATIENCE } from '../support/patience.ts';
import { needs } from '../support/needs.ts';
import { CHROMIUM, HAS_CHROMIUM } from '../support/browser.ts';
import {
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

let numbers = 0;

describe('channels in a browser', needs(`a browser (${CHROMIUM})`, HAS_CHROMIUM), () => {
  let world: TestConsole;
  let graph: GraphApi;
  beforeAll(async () => {
    world = await startTestConsole({ EGRESS_ALLOW: '127.0.0.1' });
    graph = await startGraphApi(null);
  });
  afterEach(() => world.closeAll());
  afterAll(async () => {
    await world?.stop();
    await graph?.stop();
  });

  const asOwner = async (home: Home, path: string, body?: unknown, method?: string) => {
    const answer = await home.owner.call(path, {
      workspace: home.workspace,
      body,
      ...(method && { method }),
    });
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer.body;
  };

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
});
