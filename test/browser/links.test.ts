/** Short links, their tags and domains in the console, in a browser. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { PATIENCE } from '../support/patience.ts';
import { type NameServer, startNameServer } from '../support/links/domains.ts';
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

describe('short links in a browser', needs(`a browser (${CHROMIUM})`, HAS_CHROMIUM), () => {
  let world: TestConsole;
  let names: NameServer;
  beforeAll(async () => {
    names = await startNameServer();
    world = await startTestConsole({ DNS_SERVERS: names.address });
  });
  afterEach(() => world.closeAll());
  afterAll(async () => {
    await world?.stop();
    await names.stop();
  });

  const make = (home: Home, body: object) => asOwner(home, '/links', body);
  const slug = () => `s${Math.random().toString(36).slice(2, 10)}`;
  /** Where a visitor is sent. */
  const visit = async (path: string) => {
    const response = await fetch(`${world.app.base}/${path}`, { redirect: 'manual' });
    await response.arrayBuffer();
    return response.headers.get('location') ?? String(response.status);
  };
  const row = (page: Page, name: string) => page.getByRole('row', { name });
  const choose = (page: Page, name: string) =>
    page.getByRole('checkbox', { name: new RegExp(`^Select .*/${name}$`) }).check();
  const bulk = (page: Page) => page.getByRole('group', { name: 'Selected rows' });

  test('made with a preview that holds, told at once that a slug is taken, changed and deleted', async () => {
    const home = await world.newHome();
    const first = slug();
    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home, '/links');
    await page.getByText('No links yet').waitFor();
    await page.getByRole('button', { name: 'Create link' }).first().click();
    const sheet = page.getByRole('dialog', { name: 'Create link' });
    await sheet.getByLabel('Destination URL').fill('ftp://example.com');
    await sheet.getByLabel('Short link').fill('no slug');
    await sheet.getByRole('button', { name: 'Create link' }).click();
    await sheet.getByText('Must use http or https').or(sheet.getByText('Must be an absolute URL')).waitFor();
    await sheet.getByText('May only contain letters, digits').waitFor();
    await sheet.getByLabel('Destination URL').fill('https://example.com/ä?utm_source=old&x=%41#top');
    await sheet.getByLabel('Short link').fill(first);
    await sheet.getByRole('combobox', { name: 'Tags' }).fill('spring');
    await page.keyboard.press('Enter');
    await sheet.getByRole('button', { name: 'UTM parameters' }).click();
    await sheet.getByLabel('Source').fill('news letter');
    await sheet.getByLabel('Campaign').fill('spring&sun');
    await sheet.getByRole('button', { name: 'Redirect' }).click();
    await sheet.getByRole('switch', { name: 'Forward query parameters' }).click();
    const final = await sheet.getByRole('status', { name: 'Final URL' }).innerText();
    const forwarded = await sheet.getByRole('status', { name: 'Visited with' }).innerText();
    await sheet.getByRole('button', { name: 'Create link' }).click();
    const made = page.getByRole('dialog', { name: 'Short link created' });
    await made.getByText(`/${first}`).waitFor();
    // What was previewed is what a visitor gets.
    await expect.poll(() => visit(first), PATIENCE).toBe(final);
    expect(await visit(`${first}?ref=friend`)).toBe(forwarded);

    await made.getByRole('button', { name: 'Create another' }).click();
    expect(await sheet.getByLabel('Destination URL').inputValue()).toBe('');
    await sheet.getByLabel('Destination URL').fill('https://example.com/b');
    await sheet.getByLabel('Short link').fill(first);
    await sheet.getByRole('button', { name: 'Password' }).click();
    await sheet.getByText('Require', { exact: true }).click();
    await sheet.locator('input[type=password]').fill('never shown');
    await sheet.getByRole('button', { name: 'cURL', exact: true }).click();
    expect(await sheet.getByText('curl -X POST').innerText()).not.toContain('never shown');
    await sheet.getByRole('button', { name: 'Create link' }).click();
    await sheet.getByText(`${first} is already taken.`).waitFor();
    await sheet.getByRole('button', { name: `Use ${first}-2` }).click();
    await sheet.getByRole('button', { name: 'Limits' }).click();
    await sheet.getByLabel('Expires').fill('2020-01-01T09:30');
    await sheet.getByRole('button', { name: 'Create link' }).click();
    await sheet.getByText('Must be in the future').waitFor();
    await sheet.getByLabel('Expires').fill('');
    await sheet.getByRole('button', { name: 'Create link' }).click();
    await made.getByText(`/${first}-2`).waitFor();
    await made.getByRole('button', { name: 'Done' }).click();
    await made.waitFor({ state: 'detached' });

    await row(page, `/${first}-2`).getByRole('img', { name: 'Password protected' }).waitFor();
    await page.getByRole('button', { name: `Actions for ` }).last().click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const change = page.getByRole('dialog', { name: `/${first}` });
    expect(await change.getByLabel('Source').inputValue()).toBe('news letter');
    await change.getByLabel('Source').fill('');
    await change.getByRole('button', { name: 'Targeting' }).click();
    await change.getByRole('button', { name: 'Add rule' }).click();
    const rule = change.getByRole('listitem', { name: 'Rule 1' });
    await rule.getByLabel('Destination URL').fill('https://example.com/de');
    await change.getByRole('button', { name: 'Save' }).click();
    await rule.getByText('Choose at least one condition').waitFor();
    await rule.getByRole('combobox', { name: 'Country' }).fill('germ');
    await page.getByRole('option', { name: 'Germany' }).click();
    await change.getByRole('button', { name: 'cURL', exact: true }).click();
    const patch = await change.getByText('curl -X PATCH').innerText();
    expect(patch).toContain('"DE"');
    expect(patch).not.toContain('redirect_status');
    await change.getByRole('button', { name: 'Save' }).click();
    await change.waitFor({ state: 'detached' });

    await page.getByRole('link', { name: new RegExp(`/${first}$`) }).click();
    await page.getByRole('heading', { level: 1, name: `/${first}` }).waitFor();
    await page.goto(`${page.url()}?tab=details`);
    await page.getByText('Germany').waitFor();
    await page.getByRole('button', { name: 'Archive' }).click();
    await dialog(page).getByRole('button', { name: 'Archive' }).click();
    await page.getByText('Archived', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Actions for' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await dialog(page).getByRole('button', { name: 'Delete link' }).click();
    await row(page, `/${first}-2`).waitFor();
    await expect.poll(() => page.getByRole('row').count(), PATIENCE).toBe(2);
    expect(seen.faults.filter((text) => !/status of (400|409|422)/.test(text))).toEqual([]);
    expect(seen.foreign).toEqual([]);
  });

  test('many at once, item by item where some fail; filters are in the address; in and out as CSV', async () => {
    const home = await world.newHome();
    const slugs = [slug(), slug(), slug()];
    const links = [];
    for (const one of slugs) links.push(await make(home, { url: `https://example.com/${one}`, slug: one }));
    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home, '/links');
    await page.getByText('3 links').waitFor();
    for (const one of slugs.slice(0, 2)) await choose(page, one);
    await bulk(page).getByText('2 selected').waitFor();
    await bulk(page).getByRole('button', { name: 'Add tags' }).click();
    await dialog(page).getByRole('combobox', { name: 'Tags' }).fill('autumn');
    await page.keyboard.press('Enter');
    await dialog(page).getByRole('button', { name: 'Add tags' }).click();
    await page.getByText('2 links tagged').waitFor();
    await bulk(page).getByRole('button', { name: 'Clear selection' }).click();
    await page.getByRole('button', { name: 'Tag', exact: true }).click();
    await page.getByRole('option', { name: 'autumn' }).click();
    await page.keyboard.press('Escape');
    await page.getByText('2 links', { exact: true }).waitFor();
    await page.getByLabel('Search links').fill(`${slugs[1]}`);
    await page.getByText('1 link', { exact: true }).waitFor();
    await page.getByLabel('Sort by').selectOption('clicks');
    await page.reload();
    await row(page, `/${slugs[1]}`).waitFor();
    expect(new URL(page.url()).search).toBe(`?tag=autumn&q=${slugs[1]}&sort=clicks`);
    expect(await page.getByRole('row').count()).toBe(2);
    expect(await page.getByLabel('Search links').inputValue()).toBe(slugs[1]);
    expect(await page.getByRole('columnheader', { name: 'Clicks' }).getAttribute('aria-sort')).toBe(
      'descending',
    );

    await world.visit(page, home, '/links');
    for (const one of slugs.slice(1)) await choose(page, one);
    await bulk(page).getByRole('button', { name: 'Archive' }).click();
    const asked = page.getByRole('dialog', { name: 'Archive 2 links?' });
    await asked.getByRole('button', { name: 'Archive' }).waitFor();
    await asOwner(home, `/links/${links[2].id}`, undefined, 'DELETE');
    await asked.getByRole('button', { name: 'Archive' }).click();
    await dialog(page).getByText('1 of 2 links succeeded').waitFor();
    await dialog(page).getByRole('group', { name: 'Failed links' }).getByText(slugs[2]!).waitFor();
    await dialog(page).getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('row').getByText('Archived').last().waitFor();

    await world.visit(page, home, '/links?state=active');
    await row(page, `/${slugs[0]}`).waitFor();
    await page.getByRole('button', { name: 'Import' }).click();
    await page.locator('input[type=file]').setInputFiles({
      name: 'links.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('url,title\nhttps://example.com/in,Brought along\nnothing,Wrong\n'),
    });
    await dialog(page).getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('Imported: 1 created').waitFor();
    await page.getByRole('group', { name: 'Rejected lines' }).getByText('3', { exact: true }).waitFor();
    await row(page, 'Brought along').waitFor();
    await page.getByRole('button', { name: 'Dismiss import' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    expect((await download).suggestedFilename()).toBe('links.csv');

    await page.getByRole('checkbox', { name: 'Select all' }).check();
    await bulk(page).getByRole('button', { name: 'Delete' }).click();
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No matches').waitFor();
    expectClean(seen);
  });

  test('tags are made, renamed and deleted; a domain is verified by its record, and links can be on it', async () => {
    const home = await world.newHome();
    const host = `${slug()}.example`;
    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home, '/tags');
    await page.getByRole('button', { name: 'Create tag' }).first().click();
    await dialog(page).getByLabel('Name').fill('spring');
    await dialog(page).getByLabel('Orange').check();
    await dialog(page).getByRole('button', { name: 'Create tag' }).click();
    await row(page, 'spring').waitFor();
    await page.getByRole('button', { name: 'Actions for spring' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await dialog(page).getByLabel('Name').fill(HOSTILE);
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await row(page, HOSTILE).waitFor();
    await page.getByRole('button', { name: 'Actions for ' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await dialog(page).getByRole('button', { name: 'Delete tag' }).click();
    await page.getByText('No tags yet').waitFor();

    await world.visit(page, home, '/domains');
    await page.getByRole('button', { name: 'Create domain' }).first().click();
    await dialog(page).getByLabel('Hostname').fill('http://nowhere');
    await dialog(page).getByRole('button', { name: 'Create domain' }).click();
    await dialog(page).getByText('Must be a hostname').waitFor();
    await dialog(page).getByLabel('Hostname').fill(host);
    await dialog(page).getByRole('button', { name: 'Create domain' }).click();
    const sheet = page.getByRole('dialog', { name: host, exact: true });
    await sheet.getByRole('button', { name: 'Verify now' }).click();
    await sheet.getByText('There is no TXT record').waitFor();
    const name = await sheet.locator('pre').first().innerText();
    names.records.set(name, [await sheet.locator('pre').nth(1).innerText()]);
    await sheet.getByRole('button', { name: 'Verify now' }).click();
    await sheet.getByText('You can use this domain for links').waitFor();
    await sheet.getByRole('button', { name: 'Edit' }).click();
    await dialog(page).getByLabel('Root URL').fill('https://example.com/start');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await sheet.getByText('https://example.com/start').waitFor();

    await world.visit(page, home, '/links?create=true');
    await dialog(page).getByRole('combobox', { name: 'Domain' }).fill(host);
    await page.getByRole('option', { name: host }).click();
    await dialog(page).getByLabel('Destination URL').fill('https://example.com/');
    await dialog(page).getByRole('button', { name: 'Create link' }).click();
    await page.getByRole('dialog', { name: 'Short link created' }).getByText(host).waitFor();

    await world.visit(page, home, '/domains');
    await row(page, host).click();
    await sheet.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await dialog(page).getByRole('button', { name: 'Delete domain' }).click();
    await dialog(page).getByText('1 link uses').first().waitFor();
    expect(await page.title()).not.toBe('owned');
    expect(seen.faults.filter((text) => !/status of (400|409)/.test(text))).toEqual([]);
    expect(seen.foreign).toEqual([]);
  });

  test('a long list renders only the rows that scroll into view', async () => {
    const home = await world.newHome();
    const links = Array.from({ length: 150 }, (_, nth) => ({ url: `https://example.com/${nth}` }));
    for (const part of [links.slice(0, 75), links.slice(75)])
      await asOwner(home, '/links/bulk', { links: part });
    const { page, seen } = await world.open(home.owner);
    await world.visit(page, home, '/links');
    const table = page.getByRole('table', { name: 'Links' });
    const scrollTo = (top: number) =>
      page.evaluate(`document.querySelector('table').parentElement.scrollTop = ${top}`);
    const at = (index: number) => table.locator(`tr[data-index="${index}"]`);
    // Rendering a row takes its controls out of the tab order, unless it is the first one.
    const rendered = (index: number) => at(index).locator('a[data-row-link][tabindex="-1"]').waitFor();
    let turn = 0;
    await expect
      .poll(async () => {
        // At the end the next page is fetched, unless one is being fetched.
        await scrollTo(turn++ % 2 === 0 ? 1_000_000 : 0);
        return await table.getAttribute('aria-rowcount');
      }, PATIENCE)
      .toBe('151');
    await expect
      .poll(async () => {
        await scrollTo(0);
        await rendered(1);
        await page.evaluate(`window.renderedAgain = new Set();
          window.observer?.disconnect();
          window.observer = new MutationObserver((changes) => {
            for (const { target } of changes) window.renderedAgain.add(target.closest('tr')?.dataset.index);
          });
          for (const row of document.querySelectorAll('tr[data-index]'))
            window.observer.observe(row, { subtree: true, attributes: true, childList: true });`);
        await scrollTo(1_000);
        await rendered(45);
        return await page.evaluate('[...window.renderedAgain]');
      }, PATIENCE)
      .toEqual([]);
    // The keys still go from row to row, which is the only tab stop.
    await at(32).locator('a[data-row-link]').focus();
    await page.keyboard.press('ArrowDown');
    await at(33).locator('a[data-row-link]:focus:not([tabindex])').waitFor();
    await rendered(32);
    await page.keyboard.press('End');
    await at(149).locator('a[data-row-link]:focus').waitFor();
    expectClean(seen);
  });

  test('is accessible and fits where much is open', async () => {
    const home = await world.newHome();
    const long = `https://example.com/${'path/'.repeat(60)}?q=${'x'.repeat(200)}`;
    const one = slug();
    await make(home, {
      url: long,
      slug: one,
      title: HOSTILE,
      description: 'Everything new',
      image: 'https://example.com/a.png',
      tags: ['spring', HOSTILE.replaceAll(',', ''), 'a name that is rather long for a tag'],
      targeting: [{ when: { country: ['DE'], os: ['ios'] }, url: long }],
      utm: { source: 'mail' },
      forward_query: true,
      expires_at: '2099-01-01T00:00:00.000Z',
      max_clicks: 10,
      password: 'secret',
      metadata: { team: HOSTILE },
      external_id: HOSTILE,
    });
    await make(home, { url: 'https://example.com/' });
    await asOwner(home, '/domains', { host: `${slug()}.example` });
    const { page, seen } = await world.open(home.owner, { viewport: NARROW });
    await world.visit(page, home, '/links');
    // The host gives way, not what tells links apart.
    await row(page, `/${one}`)
      .getByText(new RegExp(`^.{1,11}${one}$`))
      .waitFor();
    await expectFits(page, 'the list');
    await choose(page, one);
    await bulk(page).getByRole('button', { name: 'Set expiration' }).click();
    await dialog(page).getByRole('button', { name: 'In 7 days' }).click();
    await expectFits(page, 'many at once');
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Discard' }).click();
    await bulk(page).getByRole('button', { name: 'Clear selection' }).click();
    await page.getByRole('link', { name: new RegExp(`/${one}$`) }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: `/${one}` }).waitFor();
    await page.goto(`${page.url()}?tab=details`);
    await page.getByText('Germany and iOS').waitFor();
    await expectFits(page, 'a link');
    await page.getByRole('button', { name: 'Edit' }).click();
    await dialog(page).getByRole('status', { name: 'Final URL' }).waitFor();
    await expectFits(page, 'the form');
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    await world.visit(page, home, '/domains');
    await page.getByRole('row').nth(1).click();
    await page.getByRole('button', { name: 'Verify now' }).waitFor();
    await expectFits(page, 'a domain');
    await world.visit(page, home, '/tags?create=true');
    await dialog(page).getByLabel('Name').waitFor();
    await expectFits(page, 'a tag');
    expect(await page.title()).not.toBe('owned');
    expectClean(seen);
  });
});
