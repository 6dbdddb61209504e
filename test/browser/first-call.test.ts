/** A newcomer in a browser: sign-up → workspace → key → the shown call, seen arriving → the reference with the key. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROLES } from '../../src/core/vocabulary/scopes.ts';
import { ensurePagesBuilt } from '../../scripts/build/bundles.js';
import { needs } from '../support/needs.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { join } from '../support/workspaces.ts';
import { axeFaults, CHROMIUM, HAS_CHROMIUM, openBrowser, watch } from '../support/browser.ts';
import { startTestConsole, type TestConsole } from '../support/console.ts';
import { makeHome } from '../support/tenancy-world.ts';

const quiet = { info() {} };

/** Runs a command as a person would paste it. */
async function shell(command: string): Promise<string> {
  const { stdout } = await promisify(execFile)('bash', ['-c', command]);
  return stdout;
}

async function copied(page: Page, button: string): Promise<string> {
  await page.evaluate(`navigator.clipboard.writeText('')`);
  await page.getByRole('button', { name: button }).first().click();
  const read = () => page.evaluate<string>('navigator.clipboard.readText()');
  await expect.poll(read).not.toBe('');
  return read();
}

describe(
  'a first visit',
  needs(`a browser (${CHROMIUM}), bash and curl`, HAS_CHROMIUM && existsSync('/usr/bin/curl')),
  () => {
    let app: TestApp;
    let browser: Browser;

    beforeAll(async () => {
      await ensurePagesBuilt(quiet);
      app = await startTestApp({ SIGN_UP: 'first' }, undefined, true);
      browser = await openBrowser();
    });
    afterAll(async () => {
      await browser?.close();
      await app?.stop();
    });

    test('leads to the first call, seen arriving, and to the reference', async () => {
      const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
      const seen = await watch(context, app.base);
      const page = await context.newPage();
      page.setDefaultTimeout(120_000);

      await page.goto(`${app.base}/`);
      await page.getByLabel('Name').fill('Ada');
      await page.getByLabel('Email').fill('ada@example.com');
      await page.getByLabel('Password', { exact: true }).fill('correct horse battery');
      await expect.poll(() => axeFaults(page)).toEqual([]);
      await page.getByRole('button', { name: 'Create account' }).click();

      await page.getByLabel('Workspace name').fill('Acme');
      await page.getByRole('button', { name: 'Create workspace' }).click();
      await page.getByRole('button', { name: 'Create key' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText(/fl_[0-9A-Za-z]{36}/).waitFor();
      await page.keyboard.press('Escape');
      await dialog.getByRole('button', { name: 'Done' }).click();
      await dialog.getByText("You haven't copied").waitFor();
      await dialog.getByRole('button', { name: 'Copy secret' }).click();
      await dialog.getByRole('button', { name: 'Done' }).click();
      await page.getByText('Waiting for your call').waitFor();
      const command = await copied(page, 'Copy command');
      const secret = /fl_[0-9A-Za-z]{36}/.exec(command)?.[0];
      expect(secret).toBeDefined();

      expect(JSON.parse(await shell(command))).toMatchObject({ object: 'me', workspace: { name: 'Acme' } });
      await page.getByText('Call received').waitFor();
      for (const name of ['Send a message', 'Create a short link', 'Connect a model provider'])
        await page.getByRole('link', { name, exact: true }).waitFor();
      await expect.poll(() => axeFaults(page)).toEqual([]);

      await page.goto(`${app.base}/docs`);
      await page.getByRole('textbox', { name: 'API key' }).fill(secret!);
      const card = page.locator('section[id$="tag/models/models.list"] .request-card');
      // A hash that is set while the page still gets ready leads nowhere.
      await expect
        .poll(
          async () => {
            await page.evaluate(`location.hash = ''; location.hash = 'tag/models/models.list'`);
            return card.locator('pre').isVisible();
          },
          { timeout: 120_000, interval: 5_000 },
        )
        .toBe(true);
      await expect.poll(() => card.locator('pre').innerText()).toContain(secret);
      await card.getByRole('button', { name: 'Copy cURL' }).click();
      const curl = await page.evaluate<string>('navigator.clipboard.readText()');
      expect(JSON.parse(await shell(curl)).data.map(({ id }: { id: string }) => id)).toContain(
        'fairlead/echo',
      );

      expect(seen.foreign).toEqual([]);
      expect(seen.faults).toEqual([]);
      const stored = await page.evaluate<string>('JSON.stringify({ ...localStorage })');
      expect(stored).not.toContain(secret);
    });
  },
);

describe('an invited developer', needs(`a browser (${CHROMIUM})`, HAS_CHROMIUM), () => {
  let console: TestConsole;
  beforeAll(async () => (console = await startTestConsole()), 90_000);
  afterAll(() => console?.stop());

  test('creates the first key of the workspace', async () => {
    const { app } = console;
    const home = { ...(await makeHome(app, 'acme')), key: '' };
    const { page, seen } = await console.open(await join(app, home, 'developer'));
    await console.visit(page, home);
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog');
    const secret = await dialog.getByText(/^fl_[0-9A-Za-z]{36}$/).innerText();
    const { body } = await app.call('/me', { key: secret });
    expect(body.scopes).toEqual(ROLES.developer.filter((scope) => scope !== 'api_keys:write'));
    expect(seen.faults).toEqual([]);
    await console.closeAll();
  });
});
