/** The console while a disk of the server is nearly full, and how long a workspace keeps things. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { PATIENCE } from '../support/patience.ts';
import { needs } from '../support/needs.ts';
import { CHROMIUM, HAS_CHROMIUM } from '../support/browser.ts';
import { expectFits, type Home, NARROW, startTestConsole, type TestConsole } from '../support/console.ts';
import { fakeDisk } from '../support/fake-disk.ts';

const disk = fakeDisk();

describe('storage', needs(`Chromium at ${CHROMIUM}`, HAS_CHROMIUM), () => {
  let console_: TestConsole;
  let home: Home;
  beforeAll(async () => {
    console_ = await startTestConsole({}, disk.read);
    home = await console_.newHome();
  });
  afterEach(() => console_.closeAll());
  afterAll(() => console_.stop());

  test('is said to be full to everybody, and how long things are kept can be set all the same', async () => {
    disk.freeGiB = 50;
    const { page, seen } = await console_.open(home.owner, { viewport: NARROW });
    await console_.visit(page, home, '/settings');
    const notice = page.getByRole('status').filter({ hasText: 'Storage is full' });
    const form = page.locator('form').filter({ has: page.getByLabel('Slug') });
    const [name, days, save] = [
      form.getByLabel('Name'),
      form.getByLabel('Message retention (days)'),
      form.getByRole('button', { name: 'Save' }),
    ];
    await days.waitFor();
    expect(await notice.count()).toBe(0);

    disk.freeGiB = 4;
    const refused = async () =>
      (await home.owner.call('/tags', { workspace: home.workspace, body: { name: `t${Math.random()}` } }))
        .status;
    await expect.poll(refused, PATIENCE).toBe(507);
    // A call that is refused is what brings it up at once.
    await name.fill('Another');
    await save.click();
    await notice.waitFor();
    expect(await notice.textContent()).toContain("The disk of this server's data is nearly full.");
    await expectFits(page, 'settings');
    await name.fill((await home.owner.call('/workspaces')).body.data[0].name);
    await days.fill('30');
    await save.click();
    const asked = page.getByRole('dialog', { name: 'Delete older data?' });
    await asked.getByText('Messages older than 30 days').waitFor();
    await expectFits(page, 'shorter retention');
    await asked.getByRole('button', { name: 'Cancel' }).click();
    await asked.waitFor({ state: 'detached' });
    await save.click();
    await asked.getByRole('button', { name: 'Save and delete' }).click();
    const kept = async () => (await home.owner.call('/workspaces')).body.data[0].message_retention_days;
    await expect.poll(kept, PATIENCE).toBe(30);
    await days.fill('');
    await save.click();
    // For ever needs room.
    await expect
      .poll(() => page.getByRole('alert').filter({ hasText: 'Storage full' }).count(), PATIENCE)
      .toBe(1);
    expect(await kept()).toBe(30);

    disk.freeGiB = 50;
    await expect.poll(refused, PATIENCE).toBe(201);
    await page.reload();
    await days.waitFor();
    await expect.poll(() => notice.count(), PATIENCE).toBe(0);
    expect(await days.inputValue()).toBe('30');
    await days.fill('');
    await save.click();
    await expect.poll(kept, PATIENCE).toBeNull();
    expect(seen.foreign).toEqual([]);
  });
});
