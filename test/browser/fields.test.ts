/** What every field of the console does as it is typed in, in a browser: web/preact.ts sees to most of it. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { needs } from '../support/needs.ts';
import { CHROMIUM, HAS_CHROMIUM } from '../support/browser.ts';
import { dialog, expectClean, startTestConsole, type TestConsole } from '../support/console.ts';

describe('fields in a browser', needs(`a browser (${CHROMIUM})`, HAS_CHROMIUM), () => {
  let world: TestConsole;
  beforeAll(async () => {
    world = await startTestConsole();
  });
  afterEach(() => world.closeAll());
  afterAll(() => world?.stop());

  test('the first field of each page to sign in has the focus', async () => {
    await world.newHome();
    const { page, seen } = await world.open(null);
    await page.goto(`${world.app.base}/user/api/sign-in`);
    await page.getByLabel('Email').and(page.locator(':focus')).waitFor();
    await page.getByRole('link', { name: 'Sign up' }).click();
    await page.getByRole('heading', { level: 1, name: 'Create your account' }).waitFor();
    await page.getByLabel('Name').and(page.locator(':focus')).waitFor();
    expectClean(seen);
  });

  test('a field shows what it holds, when a change of it was declined', async () => {
    const home = await world.newHome();
    const made = await home.owner.call('/rules', {
      workspace: home.workspace,
      body: {
        name: 'Greet',
        events: ['message.received'],
        actions: [{ type: 'create_link', name: 'short', url: 'https://example.com' }],
      },
    });
    expect(made).toHaveStatus(201);
    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home, '/rules');
    const enabled = page.getByRole('switch', { name: 'Enabled: Greet' });
    await enabled.click({ force: true });
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    expect(await enabled.isChecked()).toBe(true);

    await world.go(page, home, '/model-routes?create=true');
    const timeout = page.getByLabel('Timeout of model 1 in seconds');
    await timeout.pressSequentially('1a24');
    await expect.poll(() => timeout.inputValue()).toBe('124');
    await page.keyboard.press('ArrowLeft');
    await timeout.pressSequentially('3');
    await page.keyboard.type('5');
    await expect.poll(() => timeout.inputValue()).toBe('12354');
    expectClean(seen);
  });

  test('what is composed or pasted arrives', async () => {
    const home = await world.newHome();
    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home, '/model-routes?create=true');
    const name = dialog(page).getByLabel('Name', { exact: true });
    await name.click();
    const devtools = await page.context().newCDPSession(page);
    for (const text of ['に', 'にほ', 'にほん'])
      await devtools.send('Input.imeSetComposition', {
        text,
        selectionStart: text.length,
        selectionEnd: text.length,
      });
    await devtools.send('Input.insertText', { text: '日本' });
    await name.pressSequentially('!');
    expect(await name.inputValue()).toBe('日本!');
    await page.keyboard.press('Escape');

    await world.go(page, home, '/settings');
    const days = page.getByLabel('Message retention (days)');
    await days.click();
    // As the user's own paste, which a page can't make.
    await page.evaluate(`const clipboardData = new DataTransfer();
      clipboardData.setData('text', '1,2,00');
      const paste = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
      document.activeElement.dispatchEvent(paste);`);
    expect(await days.inputValue()).toBe('1200');
    await page.getByRole('button', { name: 'Save', exact: true }).first().click();
    await dialog(page).getByRole('button', { name: 'Save and delete' }).click();
    await page.getByText('Changes saved').waitFor();
    expect(seen.sent.filter((request) => request.includes('"message_retention_days":1200'))).toHaveLength(1);
    expectClean(seen);
  });
});
