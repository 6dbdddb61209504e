/** The focus of the keyboard, as somebody who uses no mouse follows it. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { PATIENCE } from '../support/patience.ts';
import { needs } from '../support/needs.ts';
import { CHROMIUM, HAS_CHROMIUM } from '../support/browser.ts';
import { asOwner, expectClean, startTestConsole, type TestConsole } from '../support/console.ts';

describe('the focus in a browser', needs(`a browser (${CHROMIUM})`, HAS_CHROMIUM), () => {
  let world: TestConsole;
  beforeAll(async () => {
    world = await startTestConsole();
  });
  afterEach(() => world.closeAll());
  afterAll(() => world?.stop());

  test('a dialog gives the focus back to what opened it', async () => {
    const home = await world.newHome();
    const link = await asOwner(home, '/links', { url: 'https://example.com/' });
    await asOwner(home, '/tags', { name: 'spring' });
    const address = link.short_url.replace('http://', '');
    const { page, seen } = await world.open(home.owner);
    const button = (name: string, within: Page | Locator = page) =>
      within.getByRole('button', { name, exact: true });
    const item = (name: string) => page.getByRole('menuitem', { name, exact: true });
    const expectFocus = (on: Locator, message: string) =>
      expect
        .poll(() => on.evaluate((element) => element.matches(':focus')), { ...PATIENCE, message })
        .toBe(true);
    /** Cancels a dialog, once the focus is on its first field, or on Cancel where it has none. */
    const expectReturn = async (title: string, first: string | null, opener: Locator) => {
      const shown = page.getByRole('dialog', { name: title, exact: true });
      const cancel = button('Cancel', shown);
      await expectFocus(first ? shown.getByRole('textbox', { name: first, exact: true }) : cancel, title);
      await cancel.click();
      await shown.waitFor({ state: 'detached' });
      await expectFocus(opener, `after ${title}`);
    };
    await world.visit(page, home, `/links/${link.id}`);
    const edit = [`Edit ${address}`, 'Destination URL', button('Edit')] as const;
    await button('Edit').click();
    await expectReturn(...edit);
    await button('Archive').click();
    await expectReturn(`Archive link “${address}”?`, null, button('Archive'));
    await button('Edit').click();
    await expectReturn(...edit);

    await world.visit(page, home, '/tags');
    for (let time = 0; time < 2; time++) {
      await button('Create tag').click();
      await expectReturn('Create tag', 'Name', button('Create tag'));
    }

    // A dialog that a menu opens gives it to the button of the menu, as the menu itself does.
    const menu = button('Actions for spring');
    for (const [name, title, first] of [
      ['Edit', 'Edit tag', 'Name'],
      ['Edit', 'Edit tag', 'Name'],
      ['Delete', 'Delete tag “spring”?', null],
    ] as const) {
      await menu.click();
      await item(name).click();
      await expectReturn(title, first, menu);
    }
    await world.visit(page, home, '/tags');
    await menu.click();
    await item('Edit').waitFor();
    await page.keyboard.press('Escape');
    await item('Edit').waitFor({ state: 'detached' });
    await expectFocus(menu, 'after the menu');

    await world.visit(page, home, '/links');
    await page.getByRole('checkbox', { name: new RegExp(`/${link.slug}$`) }).check();
    const archive = button('Archive', page.getByRole('group', { name: 'Selected rows' }));
    await archive.click();
    await expectReturn('Archive 1 link?', null, archive);

    // The search that started an action is gone when its dialog closes.
    await world.visit(page, home, `/links/${link.id}`);
    await button('Edit').focus();
    for (let time = 0; time < 2; time++) {
      await page.keyboard.press('Control+K');
      await page.getByPlaceholder('Search links').fill('Archive');
      await page
        .getByRole('button', { name: 'Archive', exact: false })
        .and(page.locator('[data-action]'))
        .waitFor();
      await page.keyboard.press('Enter');
      await expectReturn(`Archive link “${address}”?`, null, button('Edit'));
    }

    // A secret is shown in place of the form that created it.
    const closeSecret = async (opener: Locator) => {
      const secret = page.getByRole('dialog', { name: 'Your new API key' });
      await button('Copy secret', secret).click();
      await button('Done', secret).click();
      await secret.waitFor({ state: 'detached' });
      await expectFocus(opener, 'after the secret');
    };
    await world.visit(page, home, '/api-keys');
    const create = button('Create key').first();
    await create.click();
    const form = page.getByRole('dialog', { name: 'Create API key', exact: true });
    await form.getByLabel('Name').fill('Importer');
    await button('Create key', form).click();
    await closeSecret(create);
    const sheet = page.getByRole('dialog', { name: 'Importer', exact: true });
    for (let time = 0; time < 2; time++) {
      await button('Rotate', sheet).click();
      await button('Rotate key').click();
      await closeSecret(button('Rotate', sheet));
    }
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    await expectFocus(create, 'after the sheet');
    expectClean(seen);
  });
});
