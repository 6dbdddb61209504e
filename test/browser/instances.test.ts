/** Instances in the console, in a browser: created with a form, paired, watched live, cleared and repaired. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { PATIENCE } from '../support/patience.ts';
import { needs } from '../support/needs.ts';
import { CHROMIUM, HAS_CHROMIUM, type Watch } from '../support/browser.ts';
import {
  dialog,
  expectFits,
  type Home,
  HOSTILE,
  NARROW,
  startTestConsole,
  type TestConsole,
} from '../support/console.ts';

/** A failed connection test returns 422. Between two codes, and after pairing, there is no code: 409. */
function expectQuiet(seen: Watch): void {
  expect(seen.faults.filter((text) => !/status of (409|422)/.test(text))).toEqual([]);
  expect(seen.foreign).toEqual([]);
}

/** Needs to be paired, and is not. */
const UNPAIRED = { pairing_seconds: 0 };

describe('instances in a browser', needs(`a browser (${CHROMIUM})`, HAS_CHROMIUM), () => {
  let world: TestConsole;
  beforeAll(async () => {
    world = await startTestConsole();
  });
  afterEach(() => world.closeAll());
  afterAll(() => world?.stop());

  const asOwner = async (home: Home, path: string, body?: unknown, method = 'POST') => {
    const answer = await home.owner.call(path, { workspace: home.workspace, body, method });
    expect(answer.status, path).toBeLessThan(300);
    return answer.body;
  };

  /** Creates and connects an instance of the sandbox. */
  async function newInstance(home: Home, name: string, settings: object, credentials: object = {}) {
    const { id } = await asOwner(home, '/instances', { name, channel: 'sandbox', settings, credentials });
    await asOwner(home, `/instances/${id}/connect`);
    return id as string;
  }

  const send = (home: Home, instance: string, to: string, body: string) =>
    asOwner(home, '/messages', { instance_id: instance, to, type: 'text', text: { body } });

  const getState = (page: Page) => page.getByRole('status', { name: 'Status' });
  const menu = async (page: Page, item: string) => {
    await page.getByRole('button', { name: /^Actions for / }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };

  test('is created with the form of its channel, paired, cleared and connected live', async () => {
    const home = await world.newHome();
    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home, '/instances');
    await page.getByText('No instances yet').waitFor();
    await page.getByRole('button', { name: 'Create instance' }).first().click();
    await dialog(page).getByRole('button', { name: 'Sandbox' }).click();

    await dialog(page).getByRole('textbox', { name: 'Name', exact: true }).fill('Support');
    await dialog(page).getByLabel('Pairing', { exact: true }).selectOption('code');
    await dialog(page).getByLabel('Pairing seconds').fill('0');
    const password = dialog(page).getByRole('textbox', { name: 'Password' });
    await password.fill('wrong');
    await dialog(page).getByRole('button', { name: 'Test connection' }).click();
    await expect.poll(() => password.getAttribute('aria-invalid'), PATIENCE).toBe('true');
    await dialog(page).getByText('authentication_failed').waitFor();
    await dialog(page).getByRole('button', { name: 'cURL', exact: true }).click();
    const command = await dialog(page).getByText('curl -X POST').innerText();
    expect(command).toContain('"password": "••••••••"');
    expect(command).toContain('"pairing_seconds": 0');
    expect(command).toMatch(/instances\/ins_…\/connect/);
    await password.fill('right');
    await dialog(page).getByRole('button', { name: 'Test connection' }).click();
    await dialog(page).getByText('Ready to pair').waitFor();
    await dialog(page).getByRole('button', { name: 'Create instance' }).click();

    await page.getByRole('heading', { name: 'Enter the code' }).waitFor();
    expect(await page.getByRole('region', { name: 'Pairing' }).innerText()).toMatch(
      /[B-Z2-9]{4}-[B-Z2-9]{4}/,
    );
    await getState(page).getByText('action required').waitFor();
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    await page.getByRole('heading', { name: 'The queue is empty' }).waitFor();
    await send(home, id, 'alice', 'The first of two');
    await send(home, id, 'alice', `${HOSTILE} the second`);
    await page.getByRole('row', { name: 'The first of two' }).getByText('alice').last().waitFor();
    await page.getByRole('row', { name: 'the second' }).getByText('waiting').waitFor();
    await page.getByRole('button', { name: 'Clear queue' }).click();
    await dialog(page).getByRole('button', { name: 'Clear queue' }).click();
    await page.getByText('2 messages canceled').waitFor();
    await page.getByRole('heading', { name: 'The queue is empty' }).waitFor();

    await asOwner(home, `/instances/${id}`, { settings: {} }, 'PATCH');
    await getState(page).getByText('Connected', { exact: true }).waitFor();
    await page.getByRole('region', { name: 'Pairing' }).waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByRole('row', { name: 'Settings changed' }).waitFor();
    await page.getByRole('tab', { name: 'Capabilities' }).click();
    await page.getByRole('row', { name: 'sticker' }).getByText('image/webp').waitFor();

    await page.getByRole('button', { name: 'Disconnect' }).click();
    await dialog(page).getByRole('button', { name: 'Disconnect' }).click();
    await getState(page).getByText('disconnected').waitFor();
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await getState(page).getByText('Connected', { exact: true }).waitFor();
    await menu(page, 'Delete');
    await dialog(page).getByRole('button', { name: 'Delete instance' }).click();
    await page.getByText('No instances yet').waitFor();
    expect(await page.title()).not.toBe('owned');
    expectQuiet(seen);
  });

  test('shows errors of the channel at the field, and recovers after an edit', async () => {
    const home = await world.newHome();
    const failed = await newInstance(home, 'Refused', {}, { password: 'wrong' });
    await newInstance(home, 'Waits', { ...UNPAIRED, pairing: 'qr' });
    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home, '/instances');
    await page.getByRole('row', { name: 'Refused' }).getByText('failed').waitFor();
    await page.getByRole('row', { name: 'Waits' }).getByText('action required').waitFor();
    await page.getByRole('button', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'Failed' }).click();
    await expect.poll(() => page.getByRole('row').count(), PATIENCE).toBe(2);
    expect(new URL(page.url()).search).toBe('?state=failed');
    await page.getByRole('link', { name: 'Refused' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('The channel rejected the credentials').waitFor();
    expect(new URL(page.url()).pathname).toContain(failed);
    await page.getByRole('button', { name: 'Edit settings' }).click();
    await dialog(page).getByRole('button', { name: 'Credentials' }).click();
    await dialog(page).getByRole('textbox', { name: 'Password' }).fill('right');
    await dialog(page).getByRole('button', { name: 'cURL', exact: true }).click();
    expect(await dialog(page).getByText('curl -X PATCH').innerText()).toContain(
      '{\n    "credentials": {\n      "password": "••••••••"\n    }\n  }',
    );
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await getState(page).getByText('Connected', { exact: true }).waitFor();

    await world.visit(page, home, '/instances?create=true&with=email');
    await dialog(page).getByRole('textbox', { name: 'Name', exact: true }).fill('Mail');
    await dialog(page).getByLabel('Address').fill('support@example.com');
    for (const [server, port] of [
      ['IMAP', '993'],
      ['SMTP', '465'],
    ] as const) {
      const group = dialog(page).getByRole('group', { name: server });
      await group.getByLabel('Host').fill('127.0.0.1');
      await group.getByLabel('Port').fill(port);
    }
    await dialog(page).getByRole('textbox', { name: 'User', exact: true }).fill('support@example.com');
    await dialog(page).getByRole('textbox', { name: 'Password', exact: true }).fill('secret');
    await dialog(page).getByRole('button', { name: 'Test connection' }).click();
    const host = dialog(page).getByRole('group', { name: 'IMAP' }).getByLabel('Host');
    await expect.poll(() => host.getAttribute('aria-invalid'), PATIENCE).toBe('true');
    expect(await dialog(page).getByRole('group', { name: 'IMAP' }).innerText()).toContain('EGRESS_ALLOW');

    await world.visit(page, home);
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('Search links, contacts').fill('waits');
    await page.getByRole('dialog').getByText('Waits', { exact: true }).click();
    await page.getByRole('img', { name: 'QR code' }).waitFor();
    expectQuiet(seen);
  });

  test('shows its messages over time and its failures by code', async () => {
    const home = await world.newHome();
    const id = await newInstance(home, 'Busy', { replies: false });
    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home, `/instances/${id}`);
    await page.getByRole('tab', { name: 'Activity' }).click();
    await page.getByRole('heading', { name: 'No messages in this time' }).waitFor();
    await expectFits(page, 'no activity');

    for (const to of ['alice', 'bob', 'fail@alice', 'fail@bob', 'fail@carol'])
      await send(home, id, to, 'Hello');
    const counts = async () =>
      (await asOwner(home, `/instances/${id}/activity`, undefined, 'GET')).totals as object;
    await expect.poll(counts, PATIENCE).toEqual({ inbound: 0, outbound: 2, failed: 3 });
    await page.reload();
    await page.getByText('3 failed', { exact: true }).waitFor();
    const tile = (name: string) =>
      page.locator('dl > div', { has: page.getByText(name, { exact: true }) }).locator('dd');
    expect(await tile('Received').innerText()).toMatch(/^0(?!\d)/);
    expect(await tile('Sent').innerText()).toMatch(/^2(?!\d)/);
    expect(await tile('Sent').locator('[data-tip$=": 2, 3 failed"]').count()).toBe(1);
    expect(await tile('Sent').locator('[data-tip]').count()).toBe(7);
    await expectFits(page, 'activity');

    await page.getByText('24 hours', { exact: true }).click();
    await expect.poll(() => tile('Sent').locator('[data-tip]').count(), PATIENCE).toBe(24);
    expect(new URL(page.url()).search).toBe('?tab=activity&range=24h');
    await page
      .getByRole('table', { name: 'Failed messages' })
      .getByRole('row', { name: 'recipient_unknown' })
      .getByRole('link')
      .click();
    await page.getByRole('heading', { name: 'Messages', level: 1 }).waitFor();
    const search = Object.fromEntries(new URL(page.url()).searchParams);
    expect(search).toMatchObject({ instance: id, status: 'failed' });
    await expect.poll(() => page.getByRole('row', { name: 'Hello' }).count(), PATIENCE).toBe(3);
    expectQuiet(seen);
  });

  test('is accessible and fits where much is open', async () => {
    const home = await world.newHome();
    const id = await newInstance(home, `Waits ${HOSTILE}`, { ...UNPAIRED, pairing: 'qr' });
    await newInstance(home, 'Refused', {}, { password: 'wrong' });
    await asOwner(home, '/instances', { name: 'New', channel: 'sandbox' });
    const { page, seen } = await world.open(home.owner, { viewport: NARROW });
    await world.visit(page, home, '/instances');
    await page.getByRole('row', { name: 'Refused' }).getByText('failed').waitFor();
    await expectFits(page, 'the list');
    await page.getByRole('button', { name: 'Create instance' }).click();
    await dialog(page).getByRole('button', { name: 'Email' }).click();
    await dialog(page).getByRole('button', { name: 'Queue' }).click();
    await expectFits(page, 'the form');

    await world.visit(page, home, `/instances/${id}`);
    await page.getByRole('img', { name: 'QR code' }).waitFor();
    await send(home, id, 'alice', `${HOSTILE} ${'long '.repeat(60)}`);
    await page.getByRole('row', { name: 'long' }).waitFor();
    await expectFits(page, 'pairing and queue');
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByText('Metadata').waitFor();
    await page.reload();
    await page.getByText('Metadata').waitFor();
    // The tabs stay on one line, which starts where the chosen one is in view.
    const boxes = async () =>
      await Promise.all((await page.getByRole('tab').all()).map((tab) => tab.boundingBox()));
    expect(new Set((await boxes()).map((box) => box?.y)).size).toBe(1);
    const chosen = page.getByRole('tab', { name: 'Settings' });
    await expect
      .poll(async () => {
        const { x, width } = (await chosen.boundingBox())!;
        return x + width;
      }, PATIENCE)
      .toBeLessThanOrEqual(NARROW.width);
    await page.getByRole('tab', { name: 'Capabilities' }).click();
    await page.getByText('image/webp').waitFor();
    await expectFits(page, 'capabilities');
    await page.getByRole('button', { name: 'Disconnect' }).click();
    await dialog(page).getByRole('button', { name: 'Disconnect' }).click();
    await page.getByText('Messages are rejected until').waitFor();
    await expectFits(page, 'disconnected');
    expect(await page.title()).not.toBe('owned');
    expectQuiet(seen);
  });
});
