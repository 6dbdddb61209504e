/** Contacts in the console, in a browser. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { INVALID_CHARACTERS } from '../../src/channels/sandbox/account/sandbox-address.ts';
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
  HOSTILE,
  NARROW,
  startTestConsole,
  type TestConsole,
} from '../support/console.ts';

describe('contacts in a browser', needs(`a browser (${CHROMIUM})`, HAS_CHROMIUM), () => {
  let world: TestConsole;
  beforeAll(async () => {
    world = await startTestConsole();
  });
  afterEach(() => world.closeAll());
  afterAll(() => world?.stop());

  let created = 0;
  const newInstance = async (home: Home): Promise<string> =>
    (await asOwner(home, '/instances', { name: `Desk ${++created}`, channel: 'sandbox' })).id;

  test('checks which addresses exist, and edits metadata', async () => {
    const home = await world.newHome();
    await connectSandbox(home);
    const { id } = await asOwner(home, '/contacts', { name: 'Alice Meyer' });
    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home, '/contacts');
    await page.getByRole('button', { name: 'Check addresses' }).click();
    await dialog(page).getByLabel('Addresses').fill('alice\nno/address');
    await dialog(page).getByRole('button', { name: 'Check', exact: true }).click();
    const row = (address: string) => dialog(page).getByRole('row').filter({ hasText: address });
    await row('alice').getByText('Exists', { exact: true }).waitFor();
    await row('no/address').getByText('Not valid').waitFor();

    await world.visit(page, home, `/contacts?id=${id}`);
    await page.getByRole('dialog').getByRole('button', { name: 'Edit' }).click();
    await dialog(page).getByRole('button', { name: 'Add metadata' }).click();
    await dialog(page).getByLabel('Key', { exact: true }).fill('team');
    await dialog(page).getByLabel('Value of team').fill('growth');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await expect
      .poll(async () => (await asOwner(home, `/contacts/${id}`)).metadata)
      .toEqual({ team: 'growth' });
    expectClean(seen);
  });

  test('creates, edits, imports with errors by line, finds, merges, blocks, exports and deletes contacts', async () => {
    const home = await world.newHome();
    await newInstance(home);
    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home, '/contacts');
    await page.getByText('No contacts yet').waitFor();
    await page.getByRole('button', { name: 'Create contact' }).first().click();
    await dialog(page).getByLabel('Name', { exact: true }).fill(HOSTILE);
    await dialog(page).getByRole('button', { name: 'Add address' }).click();
    await dialog(page).getByLabel('Address 1', { exact: true }).fill('no/address');
    await dialog(page).getByRole('button', { name: 'Create contact' }).click();
    await dialog(page).getByText(INVALID_CHARACTERS).first().waitFor();
    await dialog(page).getByLabel('Address 1', { exact: true }).fill('Alice');
    await dialog(page).getByRole('button', { name: 'Create contact' }).click();
    const sheet = page.getByRole('dialog', { name: HOSTILE, exact: true });
    await sheet.getByRole('list', { name: 'Addresses' }).getByText('alice').waitFor();
    await sheet.getByRole('button', { name: 'Edit' }).click();
    await dialog(page).getByLabel('Name', { exact: true }).fill('Alice Meyer');
    await dialog(page).getByRole('button', { name: 'cURL', exact: true }).click();
    expect(await dialog(page).getByText('curl -X PATCH').innerText()).toContain(
      '{\n    "name": "Alice Meyer"\n  }',
    );
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: 'Alice Meyer' }).waitFor();
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Import' }).click();
    await page.locator('input[type=file]').setInputFiles({
      name: 'people.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('name,address\nAlice Lang,alice-2\nNobody,\nBob,bob\n'),
    });
    await dialog(page).getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('Imported: 2 created').waitFor();
    await page.getByRole('group', { name: 'Rejected lines' }).getByText('the line has no address').waitFor();
    await expect.poll(() => page.getByRole('row').count(), PATIENCE).toBeGreaterThan(4);
    await page.getByRole('button', { name: 'Dismiss import' }).click();

    await page.getByLabel('Search contacts').fill('alice');
    await expect.poll(() => page.getByRole('row').count(), PATIENCE).toBe(3);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    expect((await download).suggestedFilename()).toBe('contacts.csv');
    await page.getByRole('link', { name: 'Alice Meyer' }).click();
    const alice = page.getByRole('dialog', { name: 'Alice Meyer', exact: true });
    await alice.getByRole('button', { name: 'Actions for Alice Meyer' }).click();
    await page.getByRole('menuitem', { name: 'Merge' }).click();
    await dialog(page).getByLabel('Other contact').fill('alice l');
    // The button moves as the list gets shorter; a click beside the dialog closes it.
    await expect.poll(() => dialog(page).getByRole('radio').count(), PATIENCE).toBe(1);
    await dialog(page).getByRole('radio', { name: 'Alice Lang' }).check();
    await dialog(page).getByRole('button', { name: 'Merge', exact: true }).click();
    await alice.getByRole('list', { name: 'Addresses' }).getByText('alice-2').waitFor();
    await alice.getByRole('button', { name: 'Block', exact: true }).click();
    const confirmation = page.getByRole('dialog', { name: 'Block contact “Alice Meyer”?' });
    await confirmation.getByRole('button', { name: 'Block', exact: true }).click();
    await alice.getByText('Direct messages are discarded').waitFor();

    await alice.getByRole('button', { name: 'Actions for Alice Meyer' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await dialog(page).getByRole('button', { name: 'Delete contact' }).click();
    await page.getByText('No matches').waitFor();
    expect(await page.title()).not.toBe('owned');
    expect(seen.faults.filter((text) => !text.includes('status of 422'))).toEqual([]);
    expect(seen.foreign).toEqual([]);
  });

  test('is accessible and fits where much is open', async () => {
    const home = await world.newHome();
    const instance = await newInstance(home);
    const names = ['Alice', 'Bob', HOSTILE, 'A name that is rather long for what it is '.repeat(4).trim()];
    const contacts = [];
    for (const [nth, name] of names.entries())
      contacts.push(
        await asOwner(home, '/contacts', {
          name,
          identities: [{ instance_id: instance, address: `somebody-${nth}` }],
        }),
      );
    const { page, seen } = await world.open(home.owner, { viewport: NARROW });
    await world.visit(page, home, '/contacts');
    await page.getByRole('row', { name: 'Bob' }).waitFor();
    await expectFits(page, 'the list');
    await page.getByRole('link', { name: HOSTILE }).click();
    await page.getByRole('dialog').getByText('somebody-2').waitFor();
    await expectFits(page, 'a contact');
    await page.getByRole('button', { name: 'Edit' }).click();
    await dialog(page).getByLabel('Address 1', { exact: true }).waitFor();
    await expectFits(page, 'the form');
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'Message' }).click();
    await dialog(page).getByLabel('To').waitFor();
    expect(await dialog(page).getByLabel('To').inputValue()).toBe('somebody-2');
    expect(await page.title()).not.toBe('owned');
    expectClean(seen);
  });
});
