/** Webhooks in the console, in a browser: made, followed live, looked into, repaired, as a person would. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
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
  NARROW,
  startTestConsole,
  type TestConsole,
} from '../support/console.ts';

const SECRET = /^whsec_[A-Za-z0-9+/=]{32,}$/;

/** As when another tab is looked at. */
const setVisibility = (page: Page, state: 'visible' | 'hidden') =>
  page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`);

describe('webhooks in a browser', needs(`a browser (${CHROMIUM})`, HAS_CHROMIUM), () => {
  let world: TestConsole;
  beforeAll(async () => {
    world = await startTestConsole();
  });
  afterEach(() => world.closeAll());
  afterAll(() => world?.stop());

  /** A webhook whose receiver is an inspector. */
  async function newWebhook(home: Home, answer: object = {}) {
    const inspector = await asOwner(home, '/inspectors', { name: HOSTILE, answer });
    const webhook = await asOwner(home, '/webhooks', {
      url: inspector.url,
      events: ['member.*'],
      description: HOSTILE,
      headers: { 'X-Their-Key': 'a value that nobody sees' },
    });
    return { inspector: inspector.id as string, id: webhook.id as string };
  }

  /** Sets the status filter. */
  const choose = async (page: Page, option: string) => {
    await page.getByRole('button', { name: /^Status/ }).click();
    await page.getByRole('option', { name: option }).click();
  };

  const openRow = async (page: Page, name: string) => {
    await page.getByRole('row', { name }).first().click();
    await page.getByRole('dialog', { name }).waitFor();
  };

  test('made to the inspector with a secret that is shown once; its test arrives live, and is looked into', async () => {
    const home = await world.newHome();
    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home, '/webhooks');
    await page.getByText('No webhooks yet').waitFor();
    await page.getByRole('button', { name: 'Create webhook' }).first().click();
    await dialog(page).getByRole('button', { name: 'Use inspector' }).click();
    await expect.poll(() => dialog(page).getByLabel('URL').inputValue(), PATIENCE).toContain('/inspect/');

    await dialog(page).getByLabel('Search events').fill('invited');
    await dialog(page).getByLabel('invitation.created').focus();
    await dialog(page).getByText('"type": "invitation.created"').waitFor();
    // Told on the stream alone: a webhook that names it is refused.
    await dialog(page).getByLabel('Search events').fill('chat.typing');
    await dialog(page).getByText('No matching events.').waitFor();
    await dialog(page).getByLabel('Search events').fill('');
    await dialog(page).getByLabel('invitation.created').check();
    await dialog(page).getByLabel('invitation.*').check();
    expect(await dialog(page).getByLabel('invitation.revoked').isDisabled()).toBe(true);
    await dialog(page).getByRole('button', { name: 'Headers' }).click();
    await dialog(page).getByRole('button', { name: 'Create header' }).click();
    await dialog(page).getByLabel('Header name').fill('Host');
    await dialog(page).getByLabel('Value for Host').fill('elsewhere.example.com');
    await dialog(page).getByRole('button', { name: 'cURL', exact: true }).click();
    const command = dialog(page).getByText('curl -X POST');
    expect(await command.innerText()).toMatch(/"events": \[\s+"invitation\.\*"\s+\]/);
    await dialog(page).getByRole('button', { name: 'Create webhook' }).click();
    const fault = dialog(page).locator('[class*=fieldRow] [class*=error]');
    await fault.first().waitFor();
    await dialog(page).getByRole('button', { name: 'Remove Host' }).click();
    await dialog(page).getByRole('button', { name: 'Create webhook' }).click();

    const shown = page.getByRole('dialog', { name: 'Webhook signing secret' });
    await shown.getByText(SECRET).waitFor();
    await page.keyboard.press('Escape');
    await shown.getByRole('button', { name: 'Done' }).click();
    await shown.getByRole('alert').waitFor();
    await shown.getByRole('button', { name: 'Close without copying' }).click();

    await page.getByText('No deliveries yet').waitFor();
    const watcher = await page.context().newPage();
    await world.visit(watcher, home, '/inspector');
    await watcher.getByText('Waiting for the first request').waitFor();
    await page.bringToFront();
    await page.getByRole('button', { name: 'Send test' }).first().click();
    await page.getByRole('row', { name: 'ping' }).getByText('Succeeded').waitFor();
    await openRow(page, 'ping');
    await page.getByRole('list', { name: 'Attempts' }).getByText('200').waitFor();
    await page.getByRole('dialog', { name: 'ping' }).getByText('"Hello from Fairlead."').waitFor();
    await expect
      .poll(() => page.getByRole('group', { name: 'Request headers' }).innerText())
      .toContain('v1,');

    await watcher.bringToFront();
    await watcher.getByRole('row', { name: 'ping' }).getByText('Verified').waitFor();
    await openRow(watcher, 'ping');
    await watcher.getByText('"Hello from Fairlead."').waitFor();
    await watcher.getByRole('group', { name: 'Headers' }).getByText('webhook-signature').waitFor();

    const polls = () => seen.sent.filter((line) => /inspectors\/[^/]+\/requests\?/.test(line)).length;
    await setVisibility(watcher, 'hidden');
    await watcher.getByText('Paused', { exact: true }).waitFor();
    const before = polls();
    // Longer than it is between two polls: nothing else shows that there is none.
    await watcher.waitForTimeout(1800);
    expect(polls()).toBe(before);
    await setVisibility(watcher, 'visible');
    await expect.poll(polls, PATIENCE).toBeGreaterThan(before);
    expect(seen.faults.filter((text) => !text.includes('status of 400'))).toEqual([]);
    expect(seen.foreign).toEqual([]);
  });

  test('a receiver that fails: seen why, sent again by hand, replayed, given a new secret, switched off and deleted', async () => {
    const home = await world.newHome();
    const { id, inspector } = await newWebhook(home);
    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home, `/inspector?id=${inspector}`);
    await page.getByRole('button', { name: 'Edit inspector' }).click();
    await dialog(page).getByRole('button', { name: '500' }).click();
    await dialog(page).getByLabel('Body').fill(`${HOSTILE} over capacity`);
    await dialog(page).getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Responds with 500').waitFor();

    await world.visit(page, home, `/webhooks/${id}`);
    await page.getByRole('button', { name: 'Send test' }).first().click();
    await openRow(page, 'ping');
    const sheet = page.getByRole('dialog', { name: 'ping' });
    await sheet.getByText(`${HOSTILE} over capacity`).first().waitFor();
    await sheet.getByText('Retrying').waitFor();
    await page.getByRole('region', { name: 'Health' }).getByText('Failing for').waitFor();
    await asOwner(home, `/inspectors/${inspector}`, { answer: { status: 200 } }, 'PATCH');
    await sheet.getByRole('button', { name: 'Send now' }).click();
    await sheet.getByText('Succeeded', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Replay' }).click();
    for (const status of ['Exhausted', 'Canceled', 'Missing'])
      await dialog(page).getByLabel(status).uncheck();
    await dialog(page).getByLabel('Succeeded').check();
    await dialog(page).getByRole('button', { name: 'Replay' }).click();
    await page.getByText('Replayed 1 delivery.').waitFor();
    await page.reload();
    await page.getByText('Replayed 1 delivery.').waitFor();
    await page.getByRole('button', { name: 'Dismiss replay' }).click();

    const menu = page.getByRole('button', { name: /^Actions for/ });
    await menu.click();
    await page.getByRole('menuitem', { name: 'Rotate secret' }).click();
    await dialog(page).getByLabel('Custom secret').fill('whsec_short');
    await dialog(page).getByRole('button', { name: 'cURL', exact: true }).click();
    await dialog(page).getByText('"secret": "••••••••"').waitFor();
    await dialog(page).getByRole('button', { name: 'Rotate secret' }).click();
    await dialog(page).locator('[class*=error]').first().waitFor();
    await dialog(page).getByLabel('Custom secret').fill('');
    await dialog(page).getByRole('button', { name: 'Rotate secret' }).click();
    const secret = page.getByRole('dialog', { name: 'New signing secret' });
    await secret.getByText(SECRET).waitFor();
    await secret.getByRole('button', { name: 'Done' }).click();
    await secret.getByRole('button', { name: 'Close without copying' }).click();
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByText('Valid until').waitFor();
    await page.getByText('X-Their-Key').waitFor();

    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await dialog(page).getByLabel('Value for X-Their-Key').waitFor();
    await dialog(page).getByLabel('Description').fill('repaired');
    await dialog(page).getByRole('button', { name: 'cURL', exact: true }).click();
    expect(await dialog(page).getByText('curl -X PATCH').innerText()).toContain(
      '{\n    "description": "repaired"\n  }',
    );
    await dialog(page).getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { name: 'repaired' }).waitFor();

    await menu.click();
    await page.getByRole('menuitem', { name: 'Disable' }).click();
    await dialog(page).getByRole('button', { name: 'Disable' }).click();
    await page.getByText('Disabled by a workspace member').waitFor();
    expect(await page.getByRole('button', { name: 'Send test' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('dialog', { name: 'Replay events' }).getByLabel('Since').waitFor();
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    await menu.click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await dialog(page).getByRole('button', { name: 'Delete webhook' }).click();
    await page.getByText('No webhooks yet').waitFor();
    expect(seen.faults.filter((text) => !text.includes('status of 400'))).toEqual([]);
    expect(await page.title()).not.toBe('owned');
  });

  test('a receiver that is gone: the list says so, filters by address, and the catalog leads to the next', async () => {
    const home = await world.newHome();
    const { id } = await newWebhook(home, { status: 410 });
    const { id: failing } = await newWebhook(home, { status: 503 });
    await asOwner(home, `/webhooks/${id}/test`, {});
    await asOwner(home, `/webhooks/${failing}/test`, {});
    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home, '/webhooks');
    await page.getByText('Disabled: gone').waitFor();
    await page.getByRole('row').getByText('Failing').waitFor();
    await choose(page, 'Failing');
    await expect.poll(() => page.getByRole('row').count(), PATIENCE).toBe(2);
    expect(new URL(page.url()).search).toBe('?state=failing');
    await page.locator('dt', { hasText: /^Attempts this hour$/ }).waitFor();
    const head = await page.getByRole('columnheader', { name: 'Enabled' }).boundingBox();
    const track = await page.locator('td [role=switch] + *').boundingBox();
    expect(track!.x - head!.x, 'the switch stands under its head').toBe(10);
    await page.getByRole('switch').press('Space');
    await dialog(page).getByRole('button', { name: 'Disable' }).click();
    await page.getByText('No matches').waitFor();
    await choose(page, 'Disabled');
    await expect.poll(() => page.getByRole('row').count(), PATIENCE).toBe(3);
    await page.getByText('Disabled: gone').waitFor();
    await page.getByRole('row', { name: 'gone' }).getByRole('link').focus();
    await page.keyboard.press('Enter');
    await page.getByText('Disabled: endpoint returned 410 Gone').waitFor();
    await page.getByRole('row', { name: 'ping' }).getByText('Canceled').waitFor();

    await world.visit(page, home);
    await page.getByText(/1 webhook is failing|four steps/).waitFor();
    await world.visit(page, home, '/events?tab=catalogue');
    await page.getByLabel('Search event types').fill('role of a member');
    await expect.poll(() => page.getByRole('row').count(), PATIENCE).toBe(2);
    await page.getByRole('row', { name: 'member.updated' }).click();
    await page.getByRole('link', { name: 'Create webhook' }).click();
    await dialog(page).getByRole('button', { name: 'Remove member.updated' }).waitFor();
    expect(await page.title()).not.toBe('owned');
    expectClean(seen);
  });

  test('is accessible and fits where much is open', async () => {
    const home = await world.newHome();
    const { id, inspector } = await newWebhook(home, { status: 500, body: HOSTILE });
    await asOwner(home, `/webhooks/${id}/test`, {});
    const { page, seen } = await world.open(home.owner, { viewport: NARROW });

    await world.visit(page, home, `/webhooks/${id}`);
    await openRow(page, 'ping');
    await page.getByRole('list', { name: 'Attempts' }).getByText('500').first().waitFor();
    await expectFits(page, 'a delivery');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Actions for' }).click();
    await page.getByRole('menuitem', { name: 'Replay' }).click();
    await dialog(page).getByText('Custom').click();
    await dialog(page).getByLabel('Until').waitFor();
    await expectFits(page, 'the replay');

    await world.visit(page, home, `/inspector?id=${inspector}`);
    await openRow(page, 'ping');
    await page.getByText('"Hello from Fairlead."').waitFor();
    await expectFits(page, 'a request');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Edit inspector' }).click();
    await dialog(page).getByLabel('Body').waitFor();
    await expectFits(page, 'the answer of an inspector');

    await world.visit(page, home, '/webhooks?create=true');
    for (const fold of ['Headers', 'Filters', 'Rate and order', 'Custom secret'])
      await dialog(page).getByRole('button', { name: fold }).click();
    await dialog(page).getByRole('button', { name: 'Create header' }).click();
    await dialog(page).getByRole('switch', { name: 'Rate limit' }).press('Space');
    await dialog(page).getByLabel('Search events').fill('no such words');
    await dialog(page).getByText('No matching events').waitFor();
    await expectFits(page, 'the form');
    expect(await page.title()).not.toBe('owned');
    expectClean(seen);
  });
});
