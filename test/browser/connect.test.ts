/** Other tools are connected in the console: a key, a file, the first call, events, as a person would. */
import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { PATIENCE } from '../support/patience.ts';
import { needs } from '../support/needs.ts';
import { CHROMIUM, HAS_CHROMIUM } from '../support/browser.ts';
import {
  dialog,
  expectClean,
  expectFits,
  NARROW,
  startTestConsole,
  type TestConsole,
  unfoldNavigation,
} from '../support/console.ts';

const KEY = /^fl_[A-Za-z0-9]{36}$/;

describe('connecting in a browser', needs(`a browser (${CHROMIUM})`, HAS_CHROMIUM), () => {
  let world: TestConsole;
  beforeAll(async () => {
    world = await startTestConsole();
  });
  afterEach(() => world.closeAll());
  afterAll(() => world?.stop());

  test('Node-RED: a key that is shown once, the flow, the first call arriving, and a webhook that answers', async () => {
    const home = await world.newHome();
    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home);
    await (await unfoldNavigation(page)).getByText('Connect', { exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Connect' }).waitFor();
    await page.getByRole('tab', { name: 'Zapier' }).focus();
    for (const name of ['Make', 'n8n', 'Node-RED']) {
      await page.keyboard.press('ArrowRight');
      await page.getByRole('tab', { name, selected: true }).waitFor();
    }
    expect(new URL(page.url()).search).toBe('?tool=node_red');

    await page.getByTestId('scopes').getByText('publishing:publish').waitFor();
    await page.getByRole('button', { name: 'Create key' }).click();
    const shown = page.getByRole('dialog', { name: 'API key for Node-RED' });
    const key = await shown.getByText(KEY).innerText();
    await shown.getByRole('button', { name: 'Copy secret' }).click();
    await shown.getByRole('button', { name: 'Done' }).click();

    const downloaded = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download Node-RED flow' }).click();
    const file = await downloaded;
    expect(file.suggestedFilename()).toBe('fairlead-node-red.json');
    const [tab] = JSON.parse(await readFile(await file.path(), 'utf8'));
    expect(tab.env[0]).toEqual({ name: 'FAIRLEAD', value: world.app.base, type: 'str' });

    await page.getByText('The request appears here automatically').waitFor();
    const made = await world.app.call('/inspectors', { key, body: {} });
    expect(made).toHaveStatus(201);
    await page.getByText('First request received').waitFor();
    await page.getByText('inspectors.create').waitFor();

    await page.getByLabel('Node-RED webhook URL').fill(made.body.url);
    await page.getByLabel('Events').fill('message.recieved');
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByText(/did you mean.*message\.received/i).waitFor();
    await page.getByLabel('Events').fill('message.received\npublication.*');
    await page.getByRole('button', { name: 'Create webhook' }).click();
    const secret = page.getByRole('dialog', { name: 'Webhook signing secret' });
    await secret.getByText(/^whsec_/).waitFor();
    await secret.getByRole('button', { name: 'Copy secret' }).click();
    await secret.getByRole('button', { name: 'Done' }).click();
    await page.getByText('No deliveries yet').waitFor();
    await page.getByRole('button', { name: 'Send test' }).click();
    await page.getByText('Connected. Events').waitFor();
    await page.getByRole('link', { name: 'View deliveries' }).click();
    await page.getByRole('row', { name: 'ping' }).getByText('Succeeded').waitFor();
    const { data } = (await world.app.call('/webhooks', { key })).body;
    expect(data[0].events).toEqual(['message.received', 'publication.*']);
    expect(seen.faults.filter((text) => !text.includes('status of 400'))).toEqual([]);
    expect(seen.foreign).toEqual([]);
  });

  test('each tool is accessible and fits, with addresses of this server', async () => {
    const home = await world.newHome();
    const { page, seen } = await world.open(home.owner, { viewport: NARROW });
    for (const [tool, shows] of [
      ['zapier', `${world.app.base}/api/v1/messages`],
      ['make', `${world.app.base}/api/v1/messages`],
      ['n8n', 'Header Auth'],
      ['node_red', 'FAIRLEAD_WEBHOOK_SECRET'],
      ['postman', 'Every operation of the API'],
    ] as const) {
      await world.visit(page, home, tool === 'zapier' ? '/connect' : `/connect?tool=${tool}`);
      await page.getByText(shows).first().waitFor();
      await page.getByTestId('scopes').getByText('rules:write').waitFor();
      const platform = page.getByRole('button', { name: 'API calls' });
      expect(await platform.count()).toBe(tool === 'node_red' || tool === 'postman' ? 0 : 1);
      if (await platform.count()) {
        await platform.click();
        await page.getByText(`GET ${world.app.base}/api/v1/me`).waitFor();
      }
      await expect
        .poll(() => page.getByRole('listitem').count(), PATIENCE)
        .toBeGreaterThanOrEqual(tool === 'postman' ? 3 : 4);
      await expectFits(page, tool);
    }
    expectClean(seen);
  });

  test('a viewer, who can make no key, is not shown the page in the navigation', async () => {
    const home = await world.newHome();
    const { owner, workspace } = home;
    const invited = await owner.call('/invitations', {
      workspace,
      body: { email: 'viewer@example.com', role: 'viewer' },
    });
    const viewer = await world.app.signUp('viewer@example.com');
    const token = new URL(invited.body.url).pathname.split('/').at(-1);
    const accepted = await viewer.call('/invitations/accept', { body: { token } });
    expect(accepted.status).toBeLessThan(300);
    const { page } = await world.open(viewer);
    await world.visit(page, home);
    const navigation = await unfoldNavigation(page);
    await navigation.getByText('Events').waitFor();
    expect(await navigation.getByText('Connect', { exact: true }).count()).toBe(0);
    await dialog(page).waitFor({ state: 'detached' });
  });
});
