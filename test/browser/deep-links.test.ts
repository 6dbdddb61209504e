/** Records beyond the first page of their list, in a browser: by deep link, by name, and by search. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { PATIENCE } from '../support/patience.ts';
import { needs } from '../support/needs.ts';
import { CHROMIUM, HAS_CHROMIUM } from '../support/browser.ts';
import {
  asOwner,
  connectSandbox,
  dialog,
  expectClean,
  startTestConsole,
  type TestConsole,
} from '../support/console.ts';

describe('records beyond the first page', needs(`a browser (${CHROMIUM})`, HAS_CHROMIUM), () => {
  let world: TestConsole;
  beforeAll(async () => {
    world = await startTestConsole();
  });
  afterEach(() => world.closeAll());
  afterAll(() => world?.stop());

  const NOT_FOUND = 'Not found. It may have been deleted, or its retention period has passed.';

  test('an entry of the audit log and a click open by their address; an unknown one is not found', async () => {
    const home = await world.newHome();
    const first = await asOwner(home, '/tags', { name: 'first' });
    for (let nth = 0; nth < 60; nth++) await asOwner(home, '/tags', { name: `tag ${nth}` });
    const [entry] = (await asOwner(home, `/audit-log?target_id=${first.id}`)).data;
    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home, `/audit-log?id=${entry.id}`);
    await page.getByRole('dialog').getByText(first.id).first().waitFor();
    await world.go(page, home, '/audit-log?id=aud_00000000000000000000000000');
    await page.getByRole('dialog').getByText(NOT_FOUND).waitFor();

    await world.go(page, home, '/links/lnk_00000000000000000000000000');
    await page.getByRole('heading', { name: 'Short link not found' }).waitFor();
    await page.getByText('Request ID: req_').waitFor();
    await page.getByRole('link', { name: 'Back to links' }).click();
    await page.getByRole('heading', { name: 'Links', exact: true }).waitFor();

    const link = await asOwner(home, '/links', { url: 'https://example.com/' });
    await fetch(`${world.app.base}/${link.slug}`, {
      redirect: 'manual',
      headers: { 'user-agent': 'curl/8' },
    });
    const clicks = async () => (await asOwner(home, `/links/${link.id}/clicks`)).data;
    await expect.poll(async () => (await clicks()).length, PATIENCE).toBe(1);
    const [click] = await clicks();
    // The list shows people alone, so that the click of a bot is not in it.
    const shown = click.bot ? 'people' : 'bots';
    await world.go(page, home, `/links/${link.id}?tab=clicks&bot=${shown}&click=${click.id}`);
    await page.getByRole('dialog').getByText(click.id).first().waitFor();
    expect(seen.faults.filter((text) => !text.includes('status of 404'))).toEqual([]);
    expect(seen.foreign).toEqual([]);
  });

  test('a message opens in its chat, and is forwarded to a chat that a search finds', async () => {
    const home = await world.newHome();
    const instance = await connectSandbox(home);
    const send = (to: string, body: string) =>
      asOwner(home, '/messages', { instance_id: instance, to, type: 'text', text: { body } });
    const message = await send('silent@ada', 'forward me');
    await send('silent@target', 'the oldest chat');
    const messages = Array.from({ length: 60 }, (_, nth) => ({
      instance_id: instance,
      to: `silent@person${nth}`,
      type: 'text',
      text: { body: 'newer' },
    }));
    await asOwner(home, '/messages/batch', { messages });
    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home, `/open/${message.id}`);
    await page.waitForURL(new RegExp(`/chats/chat_.*message=${message.id}`));
    const bubble = page.getByRole('log', { name: 'Messages' }).getByRole('article').first();
    await bubble.hover();
    await bubble.getByRole('button', { name: /Actions/ }).click();
    await page.getByRole('menuitem', { name: 'Forward' }).click();
    await dialog(page).getByRole('combobox', { name: 'Chat' }).fill('target');
    await page.getByRole('option', { name: 'silent@target' }).click();
    await dialog(page).getByRole('button', { name: 'Forward' }).click();
    await page.getByText('Message forwarded').waitFor();
    expectClean(seen);
  });

  test('an instance is found by name in a form, and named in lists', async () => {
    const home = await world.newHome();
    const { id: oldest } = await asOwner(home, '/instances', { name: 'Oldest', channel: 'sandbox' });
    for (let nth = 0; nth < 105; nth++)
      await asOwner(home, '/instances', { name: `Desk ${nth}`, channel: 'sandbox' });
    const contact = await asOwner(home, '/contacts', {
      name: 'Ada',
      identities: [{ instance_id: oldest, address: 'ada' }],
    });
    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home, `/contacts?id=${contact.id}`);
    await page.getByRole('dialog').getByText('Oldest').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Edit' }).click();
    await dialog(page).getByRole('button', { name: 'Add address' }).click();
    await dialog(page).getByRole('combobox', { name: 'Instance of address 2' }).fill('Oldest');
    await page.getByRole('option', { name: /Oldest/ }).click();
    await dialog(page).getByLabel('Address 2', { exact: true }).fill('ada2');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await expect
      .poll(async () => (await asOwner(home, `/contacts/${contact.id}`)).identities)
      .toEqual([
        expect.objectContaining({ instance_id: oldest }),
        expect.objectContaining({ address: 'ada2', instance_id: oldest }),
      ]);
    expectClean(seen);
  });
});
