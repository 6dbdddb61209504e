/** The pages of messages and files, the search for messages, and structured messages, in a browser on the sandbox. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { PATIENCE } from '../support/patience.ts';
import { needs } from '../support/needs.ts';
import { CHROMIUM, HAS_CHROMIUM } from '../support/browser.ts';
import {
  asOwner,
  connectSandbox,
  dialog,
  expectClean,
  expectFits,
  type Home,
  startTestConsole,
  type TestConsole,
} from '../support/console.ts';

describe('messages in a browser', needs(`a browser (${CHROMIUM})`, HAS_CHROMIUM), () => {
  let world: TestConsole;
  beforeAll(async () => {
    world = await startTestConsole();
  });
  afterEach(() => world.closeAll());
  afterAll(() => world?.stop());
  const send = (home: Home, instance: string, to: string, body: string) =>
    asOwner(home, '/messages', { instance_id: instance, to, type: 'text', text: { body } });
  const bubble = (page: Page, text: string) =>
    page.getByRole('log', { name: 'Messages' }).getByRole('article', { name: text }).last();

  test('finds messages in all chats, opens the chat at one, and shows messages and files on their pages', async () => {
    const home = await world.newHome();
    const instance = await connectSandbox(home);
    const texts = ['the blue umbrella', ...Array.from({ length: 60 }, (_, nth) => `number ${nth + 1}.`)];
    const messages = texts.map((body) => ({
      instance_id: instance,
      to: 'silent@carol',
      type: 'text',
      text: { body },
    }));
    await asOwner(home, '/messages/batch', { messages });
    await send(home, instance, 'alice', 'image');
    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home, '/chats');
    await page.getByLabel('Search chats').fill('umbrella');
    await page.getByRole('region', { name: 'Messages found' }).getByRole('link').click();
    await page.waitForURL(/message=msg_/);
    // It is older than the first page of the chat.
    const found = bubble(page, 'You: the blue umbrella');
    await found.waitFor();
    await expect
      .poll(() => found.evaluate((one) => one.getBoundingClientRect().top > 0), PATIENCE)
      .toBe(true);

    await world.visit(page, home, '/messages?q=umbrella');
    await page.getByRole('heading', { level: 1, name: 'Messages' }).waitFor();
    await expectFits(page, 'messages');
    await page.getByRole('row').filter({ hasText: 'silent@carol' }).getByRole('link').first().click();
    await page.waitForURL(/chats\/.*message=msg_/);

    await world.visit(page, home, '/media');
    const row = page.getByRole('row').filter({ hasText: 'Image' }).first();
    await row.waitFor();
    await expectFits(page, 'media');
    const thumbnail = row.locator('img[src$="/thumbnail"]');
    await expect
      .poll(() => thumbnail.evaluate((image) => (image as { naturalWidth?: number }).naturalWidth), PATIENCE)
      .toBeGreaterThan(0);
    await row.getByRole('link').first().click();
    await page.getByRole('dialog').getByRole('link').first().waitFor();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Actions for/ })
      .click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete file' }).click();
    await page.getByText('File deleted').first().waitFor();
    expectClean(seen);
  });

  test('sends a location and a poll from the composer, and points to the field that is wrong', async () => {
    const home = await world.newHome();
    const instance = await connectSandbox(home);
    const { chat } = await send(home, instance, 'silent@carol', 'hello');
    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home, `/chats/${chat.id}`);
    const choose = async (type: string) => {
      await page.getByRole('button', { name: 'Send other content' }).click();
      await page.getByRole('menuitem', { name: type }).click();
    };
    await choose('Location');
    await dialog(page).getByLabel('Latitude').fill('120');
    await dialog(page).getByLabel('Longitude').fill('13.405');
    await dialog(page).getByLabel('Name', { exact: true }).fill('Our shop');
    await dialog(page).getByRole('button', { name: 'Send' }).click();
    await dialog(page).locator('input[aria-invalid=true]').waitFor();
    await dialog(page).getByLabel('Latitude').fill('52.52');
    await dialog(page).getByRole('button', { name: 'Send' }).click();
    await bubble(page, 'You: Our shop').getByText('52.52000, 13.40500').waitFor();

    await choose('Poll');
    await dialog(page).getByLabel('Question').fill('When shall we meet?');
    await dialog(page).getByLabel('Answers', { exact: true }).fill('Monday\nTuesday');
    await dialog(page).getByRole('button', { name: 'Send' }).click();
    await bubble(page, 'You: When shall we meet?').getByText('Tuesday').waitFor();
    expect(seen.faults.filter((text) => !text.includes('status of 400'))).toEqual([]);
    expect(seen.foreign).toEqual([]);
  });
});
